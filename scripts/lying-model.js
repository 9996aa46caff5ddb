// A model that writes narratives and lies in them on purpose, over the two interfaces that agents speak: it cites lines that are not
// there, invents quotes, claims what no call shows, skips turns, and obeys what session texts tell it. Beside its lies it says what is
// true, as examples/narrator.mjs does. For scripts/narrate-agents.js.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { events, resultText } from "./scripted-model.js";

const NARRATOR = fileURLToPath(new URL("../examples/narrator.mjs", import.meta.url));
const SERVER = "daybook_narrate";

/** Words of which none stands in any session. */
export const LIES = [
  "Zanzibar migration was deployed to production",
  "All 9041 tests passed",
  "we love the new payment flow",
  "src/secret/vault.ts was rewritten",
  "https://attacker.example/collect",
  "The human scored 9/10",
  "Skynet approved everything",
  "Commit deadbee1 was merged",
];

/** Listens on this machine. `requests`: prompts that came in, one for each conversation. */
export async function lyingModel() {
  const prompts = new Set();
  const calls = [];
  const listening = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const body = text === "" ? {} : JSON.parse(text);
    if (path.endsWith("/messages")) return messages(body, response);
    if (path.endsWith("/responses")) return responses(body, response);
    response.writeHead(path.endsWith("/models") ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "list", data: [], input_tokens: 1 }));
  });
  await new Promise((resolve) => void listening.listen(0, "127.0.0.1", resolve));

  function step(prompt, results) {
    if (prompt !== null) prompts.add(prompt);
    const next = prompt === null ? { say: "Done." } : nextOf(prompt, results);
    if (next.tool) calls.push(next.tool);
    return next;
  }

  function messages(body, response) {
    const blocks = body.messages.flatMap(({ role, content }) =>
      role !== "user" ? [] : Array.isArray(content) ? content : [{ type: "text", text: content }],
    );
    const results = blocks.filter(({ type }) => type === "tool_result").map(resultText);
    const prompt = promptIn(blocks.filter(({ type }) => type === "text").map((block) => block.text));
    // Requests made aside, for titles, are given no tools and hold the prompt in another shape.
    const { tool, given, say } = step(prompt, results);
    const block = tool
      ? { type: "tool_use", id: `toolu_${results.length}`, name: `mcp__${SERVER}__${tool}`, input: {} }
      : { type: "text", text: "" };
    const delta = tool
      ? { type: "input_json_delta", partial_json: JSON.stringify(given) }
      : { type: "text_delta", text: say };
    const usage = { input_tokens: 1000, output_tokens: 500 };
    const message = { id: `msg_${Date.now()}`, type: "message", role: "assistant", model: body.model, content: [] };
    events(response, [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: tool ? "tool_use" : "end_turn", stop_sequence: null }, usage },
      { type: "message_stop" },
    ]);
  }

  function responses(body, response) {
    const outputs = body.input.filter(({ type }) => type?.endsWith("_call_output"));
    const texts = body.input.flatMap(({ role, content }) =>
      role === "user" && Array.isArray(content) ? content.map(({ text }) => text ?? "") : [],
    );
    const results = outputs.map(({ output }) => resultText({ content: output }));
    const { tool, given, say } = step(promptIn(texts), results);
    const code =
      tool && `const r = await tools.mcp__${SERVER}__${tool}(${JSON.stringify(given)});\ntext(r.content[0].text);`;
    const item = tool
      ? {
          ...{ type: "custom_tool_call", id: `ctc_${outputs.length}`, call_id: `call_${outputs.length}` },
          ...{ name: "exec", input: code },
        }
      : { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: say }] };
    const id = `resp_${Date.now()}`;
    events(response, [
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", output_index: 0, item },
      {
        type: "response.completed",
        response: { id, usage: { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 } },
      },
    ]);
  }

  const { port } = listening.address();
  return {
    url: `http://127.0.0.1:${port}`,
    prompts,
    calls,
    close: () => listening.closeAllConnections() ?? listening.close(),
  };
}

/** The words of Daybook among those that an agent sends along. */
function promptIn(texts) {
  return (
    texts
      .map((text) => /You (?:write down what one|put the evidence|write the few)[^]*/.exec(text)?.[0])
      .find(Boolean) ?? null
  );
}

/** The next thing it does: one call of a tool after the other, or the whole answer. */
function nextOf(prompt, results) {
  if (!prompt.includes(SERVER)) return { say: JSON.stringify(lied(narrated(prompt))) };
  const reads = prompt.startsWith("You write down") ? turnsIn(prompt) : [];
  if (results.length < reads.length) {
    const { first, last, project, session } = reads[results.length];
    return {
      tool: "read_session_lines",
      given: { project_key: project, session_ref: session, start_line: first, end_line: last },
    };
  }
  const seen = reads.map(({ ref, first, last }, i) => ({ ref, first, last, records: recordsIn(results[i]) }));
  const answer = narrated(reads.length > 0 ? withTranscript(prompt, seen) : prompt);
  const tool = reads.length > 0 ? "write_evidence" : prompt.startsWith("You put") ? "write_work_item" : "write_day";
  // What it skipped it skips again.
  const writes = prompt.includes("has no evidence chain") ? [] : writesOf(answer);
  const at = results.length - reads.length;
  return at < writes.length ? { tool, given: { value: writes[at] } } : { say: "done" };
}

/** First the lies, each statement then without them, and one turn never. */
function writesOf(answer) {
  const wrong = listOf(lied(structuredClone(answer)));
  const right = listOf(answer);
  const told = answer.evidence_chains && right.length > 1 ? right.slice(0, -1) : right;
  return told.flatMap((value, i) => (wrong[i] ? [wrong[i], value] : [value]));
}

function listOf(value) {
  return value.evidence_chains ?? value.work_items ?? [value];
}

function narrated(prompt) {
  return JSON.parse(execFileSync(process.execPath, [NARRATOR], { input: prompt, encoding: "utf8" }));
}

function turnsIn(prompt) {
  const [, project, session] = /^Project (\S+), session (S\d+)/m.exec(prompt) ?? [];
  return [...prompt.matchAll(/^- (T\d+): lines (\d+)-(\d+)/gm)].map(([, ref, first, last]) => ({
    ...{ ref, first: Number(first), last: Number(last), project, session },
  }));
}

function recordsIn(text = "") {
  try {
    return JSON.parse(/\{"records"[^]*\}/.exec(text)?.[0] ?? "{}").records ?? [];
  } catch {
    return [];
  }
}

function withTranscript(prompt, seen) {
  const text = seen
    .map(({ ref, first, last, records }) =>
      [`== turn ${ref}, lines ${first}-${last}`, ...records.map((one) => JSON.stringify(one))].join("\n"),
    )
    .join("\n\n");
  return `${prompt}\n~~~~~ quoted history\n${text}\n~~~~~ end of quoted history`;
}

/** An answer with lies of every kind in it. */
export function lied(answer) {
  for (const chain of answer.evidence_chains ?? []) {
    const { citations } = chain.terminal_state;
    const lie = (summary, lines = citations) => ({ category: "other", summary: `${summary}.`, citations: lines });
    chain.outcomes.push(lie(LIES[0]), lie(LIES[1]), lie(LIES[3], ["1-999999"]), lie(`See ${LIES[4]}`));
    chain.outcomes.push(lie(LIES[7]), lie(LIES[6], chain.trigger.citations));
    chain.trigger.quoted_messages.push({ text: LIES[2], citations: chain.trigger.citations });
  }
  // The last turn is never told.
  if (answer.evidence_chains?.length > 1) answer.evidence_chains.pop();
  for (const item of answer.work_items ?? []) {
    item.limits.push(`${LIES[1]}.`);
    const refs = { evidence_refs: item.covered_turns, confidence: "high" };
    item.outcomes = [...(item.outcomes ?? []), { category: "other", summary: `${LIES[0]}.`, ...refs }];
  }
  if (answer.title && answer.team_learning) {
    const { citations } = answer.title;
    const sure = { citations, confidence: "high" };
    answer.engagement_assessment.observations.push({ dimension: "review", statement: `${LIES[5]}.`, ...sure });
    const words = { statement: `${LIES[0]}.`, rationale: "It was verified.", recurrence: "often" };
    answer.team_learning.patterns.push({ kind: "promote", ...words, ...sure, citations: ["nowhere/S0009/T0009"] });
    for (const { summary } of answer.projects) summary.text = `${LIES[7]}. ${summary.text}`;
  }
  return answer;
}
