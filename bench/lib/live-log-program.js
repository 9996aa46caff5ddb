// The program that `live-log.js` measures: `write DIR ID RECORDS LENGTH` or `open DIR ID`. Prints the number of
// records.
import { openSession } from "agent-daybook";

const [what, dir, id, records, length] = process.argv.slice(2);
const session = openSession(dir, id, { sync: "batched" });
if (what === "write") {
  const text = "lorem ipsum dolor sit amet ".repeat(Math.ceil(Number(length) / 27));
  for (let i = 0; i < Number(records); i += 4) {
    const turn = `t${Math.floor(i / 128)}`;
    const call_id = `c${i}`;
    session.append(
      turn,
      { type: "user", author: "human", text, ...(i % 128 === 0 ? { kind: "prompt" } : {}) },
      { type: "tool_started", call_id, name: "shell", input: { command: text } },
      { type: "tool_finished", call_id, status: "ok", exit_code: 0, duration_ms: 3, output: text },
      { type: "assistant_finished", text, turn_ended: true },
    );
  }
  process.stdout.write(`${session.nextSeq}\n`);
} else process.stdout.write(`${session.state.records}\n`);
session.close();
