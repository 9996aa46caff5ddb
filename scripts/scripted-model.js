// A model that says what a script says, over the three interfaces agents speak: it calls one tool of a server after the other, then
// answers. What a tool gave back is kept, so that it can be compared with what the server said. For scripts/mcp-clients.js.
import { createServer } from "node:http";

/** Listens on this machine; `steps`: `{ tool, given }` to be called in order. `results`: what came back, as the agent handed it on. */
export async function scriptedModel(server, steps) {
  const results = [];
  const offered = [];
  const listening = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const body = text === "" ? {} : JSON.parse(text);
    if (path.endsWith("/messages")) return messages(body, response);
    if (path.endsWith("/responses")) return responses(body, response);
    if (path.endsWith("/chat/completions")) return chat(body, response);
    response.writeHead(path.endsWith("/models") ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "list", data: [], input_tokens: 1 }));
  });
  await new Promise((resolve) => void listening.listen(0, "127.0.0.1", resolve));

  /** Which step is next: as many as came back were done. Requests without the tool are made aside, for titles. */
  function next(given, names) {
    for (const name of names) if (!offered.includes(name)) offered.push(name);
    for (const one of given.slice(results.length)) results.push(one);
    return steps[given.length] ?? null;
  }

  const nameOf = (names, tool) => names.find((name) => name.includes(server) && name.endsWith(tool));

  function messages(body, response) {
    const given = body.messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter(({ type }) => type === "tool_result").map(resultText) : [],
    );
    const names = (body.tools ?? []).map(({ name }) => name);
    const step = names.length === 0 ? null : next(given, names);
    // Tools of servers may be named to the model only when it looks for them.
    const name = step && (nameOf(names, step.tool) ?? `mcp__${server}__${step.tool}`);
    const block = name
      ? { type: "tool_use", id: `toolu_${given.length}`, name, input: {} }
      : { type: "text", text: "" };
    const delta = name
      ? { type: "input_json_delta", partial_json: JSON.stringify(step.given) }
      : { type: "text_delta", text: "Done." };
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = { id: `msg_${Date.now()}`, type: "message", role: "assistant", model: body.model, content: [] };
    events(response, [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: name ? "tool_use" : "end_turn", stop_sequence: null }, usage },
      { type: "message_stop" },
    ]);
  }

  function responses(body, response) {
    const outputs = body.input.filter(({ type }) => type?.endsWith("_call_output"));
    const names = (body.tools ?? []).map(({ name }) => name ?? "");
    const step = next(
      outputs.map(({ output }) => resultText({ content: output })),
      names,
    );
    const id = `resp_${Date.now()}`;
    // The tools of servers are called out of a program that the model writes.
    const code =
      step &&
      `const r = await tools.mcp__${server}__${step.tool}(${JSON.stringify(step.given)});\ntext(r.content[0].text);`;
    const item = step
      ? {
          type: "custom_tool_call",
          id: `ctc_${outputs.length}`,
          call_id: `call_${outputs.length}`,
          name: "exec",
          input: code,
        }
      : { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Done." }] };
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    events(response, [
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, usage } },
    ]);
  }

  function chat(body, response) {
    const given = body.messages.filter(({ role }) => role === "tool").map(resultText);
    const names = (body.tools ?? []).map((one) => one.function.name);
    const step = names.length === 0 ? null : next(given, names);
    const name = step && nameOf(names, step.tool);
    const call = name && { index: 0, id: `call_${given.length}`, type: "function" };
    const chunk = (delta, finish_reason) => ({
      ...{ id: "chat_1", object: "chat.completion.chunk", created: 1, model: body.model },
      choices: [{ index: 0, delta, finish_reason }],
    });
    events(response, [
      chunk(
        call
          ? { role: "assistant", tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(step.given) } }] }
          : { role: "assistant", content: "Done." },
        null,
      ),
      chunk({}, call ? "tool_calls" : "stop"),
    ]);
  }

  const { port } = listening.address();
  return {
    url: `http://127.0.0.1:${port}`,
    results,
    offered,
    close: () => listening.closeAllConnections() ?? listening.close(),
  };
}

export function resultText({ content }) {
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}

export function events(response, all) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const one of all) response.write(`${one.type ? `event: ${one.type}\n` : ""}data: ${JSON.stringify(one)}\n\n`);
  response.end(all[0].type ? "" : "data: [DONE]\n\n");
}
