// Serves a function as a model over the three APIs that agents use: messages, responses and chat completions. For
// scripts that run real agents without an account.
import { createServer } from "node:http";

/**
 * Listens on the loopback interface. `server` is the name of the MCP server whose tools are called. `next({ texts,
 * results, isAside })` gets the user's texts, the tool results so far, and whether this is a side request without
 * tools, such as for a title. It returns the model's next step: `{ tool, given }` or `{ say }`.
 */
export async function modelServer(server, next) {
  const listening = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const body = text === "" ? {} : JSON.parse(text);
    const speak = Object.entries(INTERFACES).find(([end]) => path.endsWith(end))?.[1];
    if (speak) return events(response, speak(body, server, next));
    response.writeHead(path.endsWith("/models") ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "list", data: [], input_tokens: 1 }));
  });
  await new Promise((resolve) => void listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address();
  return { url: `http://127.0.0.1:${port}`, close: () => listening.closeAllConnections() ?? listening.close() };
}

const INTERFACES = { "/messages": messages, "/responses": responses, "/chat/completions": chat };
const [INPUT, OUTPUT] = [1000, 500];

function messages(body, server, next) {
  const blocks = body.messages.flatMap(({ role, content }) => (role === "user" ? blocksOf(content) : []));
  const results = blocks.filter(({ type }) => type === "tool_result").map(textOf);
  const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => text);
  const tools = (body.tools ?? []).map(({ name }) => name);
  const { tool, given, say } = next({ texts, results, isAside: tools.length === 0 });
  // The request may not list MCP tools until the model searches for them.
  const name = tool && (nameIn(tools, server, tool) ?? `mcp__${server}__${tool}`);
  const block = name
    ? { type: "tool_use", id: `toolu_${results.length}`, name, input: {} }
    : { type: "text", text: "" };
  const delta = name
    ? { type: "input_json_delta", partial_json: JSON.stringify(given) }
    : { type: "text_delta", text: say };
  const usage = { input_tokens: INPUT, output_tokens: OUTPUT };
  const message = { id: `msg_${Date.now()}`, type: "message", role: "assistant", model: body.model, content: [] };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: name ? "tool_use" : "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

function responses(body, server, next) {
  const outputs = body.input.filter(({ type }) => type?.endsWith("_call_output"));
  const results = outputs.map(({ output }) => textOf({ content: output }));
  const texts = body.input.flatMap(({ role, content }) =>
    role === "user" ? blocksOf(content).map(({ text }) => text ?? "") : [],
  );
  // This API makes no side requests, and tools need not be listed.
  const { tool, given, say } = next({ texts, results, isAside: false });
  // MCP tools are called from code that the model writes.
  const call = `const r = await tools.mcp__${server}__${tool}(${JSON.stringify(given)});\ntext(r.content[0].text);`;
  const ids = { id: `ctc_${outputs.length}`, call_id: `call_${outputs.length}` };
  const item = tool
    ? { type: "custom_tool_call", ...ids, name: "exec", input: call }
    : { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: say }] };
  const id = `resp_${Date.now()}`;
  const usage = { input_tokens: INPUT, output_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
  return [
    { type: "response.created", response: { id } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id, usage } },
  ];
}

function chat(body, server, next) {
  const said = (wanted) => body.messages.filter(({ role }) => role === wanted);
  const results = said("tool").map(textOf);
  const texts = said("user").flatMap(({ content }) => blocksOf(content).map(({ text }) => text ?? ""));
  const tools = (body.tools ?? []).map((one) => one.function.name);
  const { tool, given, say } = next({ texts, results, isAside: tools.length === 0 });
  const name = tool && nameIn(tools, server, tool);
  const call = { index: 0, id: `call_${results.length}`, type: "function" };
  const chunk = (delta, finish_reason, more = {}) => ({
    id: "chat_1",
    object: "chat.completion.chunk",
    created: 1,
    model: body.model,
    ...more,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const delta = name
    ? { tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(given) } }] }
    : { content: say ?? "" };
  const usage = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
  return [chunk({ role: "assistant", ...delta }, null), chunk({}, name ? "tool_calls" : "stop", { usage })];
}

function nameIn(tools, server, tool) {
  return tools.find((name) => name.includes(server) && name.endsWith(tool));
}

function blocksOf(content) {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}

function events(response, all) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const one of all) response.write(`${one.type ? `event: ${one.type}\n` : ""}data: ${JSON.stringify(one)}\n\n`);
  response.end(all[0].type ? "" : "data: [DONE]\n\n");
}
