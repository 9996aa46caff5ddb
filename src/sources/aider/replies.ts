import { createHash } from "node:crypto";
import type { RecordBody } from "../../format/record.ts";
import { verdict, type Scene, type Verdict } from "./verdict.ts";

/** Replies and prompts end their lines differently; the trimmed text of their non-empty lines is equal. */
export function fingerprint(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
}

/** A line of a reply. The first one carries the whole text. */
export function replyVerdict(scene: Scene): Verdict {
  const { line, lines, state, full } = scene;
  if (line.line <= state.replyEnd) return verdict("reaction", "aider.reply.more", "reply");
  // After a client command, if the marks of messages were lost, this is the command's output, not a reply.
  if (state.owner === "client" && !line.after.breaksKept)
    return verdict("session", "aider.message.unmarked", "message");
  const said = [line.body];
  let end = line.line;
  let length = 1;
  let open = false;
  for (let k = 0; ; k++) {
    const next = lines.peek(k);
    open = next === "open";
    if (typeof next === "string" || (next.kind !== "reply" && next.kind !== "blank" && next.kind !== "problem")) break;
    said.push(next.kind === "problem" ? "" : next.body);
    if (next.kind !== "reply") continue;
    end = next.line;
    length = said.length;
  }
  const text = said.slice(0, length).join("\n").trim();
  state.replyEnd = end;
  state.replied = true;
  state.pair = null;
  state.lastReply = fingerprint(text);
  const model = state.editing ? state.editor : state.model;
  const { thoughts, answer } = withoutThoughts(text);
  const records: RecordBody[] = thoughts.map((thought) => ({ type: "reasoning_finished", text: full ? thought : "" }));
  if (answer !== "" || thoughts.length === 0)
    records.push({ type: "assistant_finished", text: full ? answer : "", model, turn_ended: false });
  return verdict("reaction", "aider.reply", "reply", records, { open });
}

/** A reasoning model's thoughts are part of the reply, in an element with a fixed name prefix (0.77.1). */
const THOUGHTS = /<(thinking-content-[0-9a-f]{16,64})>([\s\S]*?)<\/\1>/g;

function withoutThoughts(text: string): { thoughts: string[]; answer: string } {
  const thoughts: string[] = [];
  const answer = text.replace(THOUGHTS, (_, __, thought: string) => {
    thoughts.push(thought.trim());
    return "";
  });
  return { thoughts, answer: answer.trim() };
}

/** Blank lines inside a reply belong to it; between blocks they belong to nothing. */
export function blankVerdict({ line, state }: Scene): Verdict {
  if (line.line < state.replyEnd) return verdict("reaction", "aider.reply.more", "reply");
  return verdict("session", "aider.line.blank", "(blank)");
}
