// An agent keeps its session in the log; Daybook reads it like any other.
// node write-log.js DIR
import { Daybook, openSession } from "agent-daybook";

const dir = process.argv[2];
const session = openSession(dir, "first", { meta: { source: "my-agent", cwd: process.cwd(), agent_version: "1.0" } });
session.append("turn-1", { type: "user", text: "list the files" });
session.append("turn-1", { type: "tool_started", call_id: "c1", name: "shell", input: { command: "ls" } });
session.append("turn-1", { type: "tool_finished", call_id: "c1", status: "ok", exit_code: 0, output: "a.txt" });
const usage = { input: 1200, output: 30 };
session.append("turn-1", { type: "assistant_finished", text: "One file: a.txt.", usage, turn_ended: true });
session.close();

const daybook = new Daybook({ roots: { log: [dir] } });
for (const { trigger, outcome, final_text, tools, usage } of await daybook.turns())
  console.log({ asked: trigger.text, outcome, final_text, calls: tools.total, output: usage.output_tokens });
console.log((await daybook.audit()).balanced ? "balanced" : "not balanced");
