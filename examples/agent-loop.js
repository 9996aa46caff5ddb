// A small agent that keeps its session in Daybook's log: it can be killed at any moment and continues where it stopped.
// node examples/agent-loop.js DIR SESSION "what to do"     (without a request it finishes the open turn)
// $MODEL_URL answers a POST of the messages with { text, calls: [{ id, name, input }], usage: { input, output } }.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openSession } from "agent-daybook";

const [dir, id, request] = process.argv.slice(2);
const session = openSession(dir, id, { meta: { source: "agent-loop", cwd: process.cwd(), agent_version: "1.0" } });
const run = promisify(execFile);

/** The turn to work on: a new one for a request, otherwise the one that was interrupted. */
function currentTurn() {
  const { turns } = session.state;
  if (!request) return turns.findLast(({ outcome }) => outcome === "open")?.turn_id ?? null;
  const turn = `turn-${turns.length + 1}`;
  session.append(turn, { type: "user", text: request, entry: "headless", ends_stated: true });
  return turn;
}

async function callTool(turn, { id: call_id, name, input }) {
  session.append(turn, { type: "tool_started", call_id, name, input });
  const started = Date.now();
  const end = (body) =>
    session.append(turn, { type: "tool_finished", call_id, duration_ms: Date.now() - started, ...body });
  if (name !== "shell") return end({ status: "skipped", error: `there is no tool ${name}` });
  try {
    const { stdout } = await run("sh", ["-c", input.command]);
    end({ status: "ok", exit_code: 0, output: stdout });
  } catch (error) {
    end({ status: "failed", exit_code: error.code ?? null, output: error.stdout ?? "", error: error.message });
  }
}

const turn = currentTurn();
if (turn !== null) {
  // Tool calls that were running when the process was killed will never finish: settle them as interrupted.
  for (const { call_id } of session.state.tools.filter(({ settled, turn_id }) => !settled && turn_id === turn))
    session.append(turn, { type: "tool_finished", call_id, status: "interrupted", error: "the agent was killed" });
  for (;;) {
    const body = JSON.stringify({ messages: session.state.messages });
    const response = await fetch(process.env.MODEL_URL, { method: "POST", body });
    const { text, calls = [], usage } = await response.json();
    const turn_ended = calls.length === 0;
    session.append(turn, { type: "assistant_finished", message_id: `m${session.nextSeq}`, text, usage, turn_ended });
    if (turn_ended) break;
    for (const call of calls) await callTool(turn, call);
  }
  process.stdout.write(`${session.state.turns.at(-1).final_text}\n`);
}
session.close();
