import type { Skimmer } from "../../base/io/lines.ts";
import type { ReadContext } from "../contract.ts";

/**
 * Top-level types that neither state usage nor hold a prompt. The type is at the start of the line or after the
 * envelope.
 */
const FOLDED = /"type":"(progress|file-history-snapshot|api-request|api-request-blob|api-request-shape|tools-used)"/;
const TOOL_RESULT = "user/tool_result";
/** A tool result whose content is a plain string. */
const RESULT =
  /"message":\{"role":"user","content":\[\{(?:"tool_use_id":"[^"]{1,80}",)?"type":"tool_result",(?:"tool_use_id":"[^"]{1,80}",)?"content":"/;
/** A separate block of typed text beside a tool result. This cannot occur inside a JSON string. */
const TEXT_BLOCK = Buffer.from('"type":"text"');
const ATTACHMENT = /"attachment":\{"type":"(?!queued_command)[a-z_]+"/;
/** Shorter lines are cheaper to parse than to test. */
const SHORT = 700;

const USER = /"message":\{"role":"user"/;
const SYSTEM = /"type":"(?:system|attachment|queue-operation|last-prompt|permission-mode|mode)"/;
const ASSISTANT = /"type":"assistant"|"role":"assistant"/;
const COMPACTION = /"subtype":"compact_boundary"/;

function nameForUsage(head: string, bytes: number): string | null {
  if (bytes < SHORT) return null;
  if (RESULT.test(head)) return TOOL_RESULT;
  if (ATTACHMENT.test(head)) return "attachment";
  return FOLDED.exec(head)?.[1] ?? null;
}

const TYPE = ',"type":"';

/** For token sums only responses matter. Every line that is not certainly something else is parsed. */
function nameForTokens(head: string): string | null {
  // The record's own type precedes the first nested object or list; tool results inside the record have types as well.
  const part = head.indexOf("{", 1);
  const at = part === -1 ? -1 : head.lastIndexOf(TYPE, part);
  if (at !== -1 && !head.slice(0, at).includes("[")) {
    if (head.startsWith('assistant"', at + TYPE.length)) return null;
    if (head.startsWith('user"', at + TYPE.length)) return "other";
  }
  if (ASSISTANT.test(head) || COMPACTION.test(head)) return null;
  return USER.test(head) || SYSTEM.test(head) || FOLDED.test(head) ? "other" : null;
}

/** Copies are recognised by their ids, so a file that repeats another is never skimmed. */
export function skimmerFor(ctx: ReadContext): Skimmer | undefined {
  if (ctx.inherited !== undefined || ctx.identities === true) return undefined;
  return ctx.detail === "usage" ? SKIM_FOR_USAGE : undefined;
}

const SKIM_FOR_USAGE: Skimmer = {
  head: 768,
  name: nameForUsage,
  unless: { name: TOOL_RESULT, holds: TEXT_BLOCK },
  mark: linkIn,
};

const PARENT = '"parentUuid":"';
const UUID = '"uuid":"';
const TIME = '","timestamp":"';
const ID = 36;

/** The ids of the record before this one and of the record itself: without them the chain would be broken here. */
function linkIn(line: Buffer): string | null {
  for (let at = line.indexOf(UUID); at !== -1; at = line.indexOf(UUID, at + 1)) {
    const [from, to] = [at + UUID.length, at + UUID.length + ID];
    // A result may contain an object with an id of its own.
    if (line.toString("latin1", to, to + TIME.length) !== TIME) continue;
    const head = line.toString("latin1", 0, Math.min(at, 768));
    const parent = head.indexOf(PARENT) + PARENT.length;
    const before = parent < PARENT.length ? "" : head.slice(parent, parent + ID);
    return `${before} ${line.toString("latin1", from, to)}`;
  }
  return null;
}

export const skimForTokens: Skimmer = { head: 768, name: nameForTokens, drop: true };
