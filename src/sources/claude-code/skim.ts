import type { Skimmer } from "../../io/lines.ts";
import type { ReadContext } from "../contract.ts";

/** Top-level types that state no usage and are nobody's prompt. They stand first in the line or right after the envelope. */
const FOLDED = /"type":"(progress|file-history-snapshot|api-request|api-request-blob|api-request-shape|tools-used)"/;
const TOOL_RESULT = "user/tool_result";
/** A tool result whose content is a plain string. */
const RESULT =
  /"message":\{"role":"user","content":\[\{(?:"tool_use_id":"[^"]{1,80}",)?"type":"tool_result",(?:"tool_use_id":"[^"]{1,80}",)?"content":"/;
/** Typed words may stand beside it, as a block of their own; between quotes this cannot stand. */
const TEXT_BLOCK = Buffer.from('"type":"text"');
const ATTACHMENT = /"attachment":\{"type":"(?!queued_command)[a-z_]+"/;
/** Lines this short cost less to parse than to doubt. */
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

/** For tokens alone: only responses state them. Whatever is not surely something else is read. */
function nameForTokens(head: string): string | null {
  // The type of the record itself stands among plain values, before all that has parts: results of tools have types as well.
  const part = head.indexOf("{", 1);
  const at = part === -1 ? -1 : head.lastIndexOf(TYPE, part);
  if (at !== -1 && !head.slice(0, at).includes("[")) {
    if (head.startsWith('assistant"', at + TYPE.length)) return null;
    if (head.startsWith('user"', at + TYPE.length)) return "other";
  }
  if (ASSISTANT.test(head) || COMPACTION.test(head)) return null;
  return USER.test(head) || SYSTEM.test(head) || FOLDED.test(head) ? "other" : null;
}

/** Copies must be recognised by their ids, so a file that repeats another is never skimmed. */
export function skimmerFor(ctx: ReadContext): Skimmer | undefined {
  if (ctx.inherited !== undefined || ctx.identities === true) return undefined;
  return ctx.detail === "usage" ? SKIM_FOR_USAGE : undefined;
}

const SKIM_FOR_USAGE: Skimmer = {
  head: 768,
  name: nameForUsage,
  unless: { name: TOOL_RESULT, holds: TEXT_BLOCK },
};

export const skimForTokens: Skimmer = { head: 768, name: nameForTokens, drop: true };
