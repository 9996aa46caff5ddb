import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { SessionView } from "../../views/session-view.ts";
import type { ResumeRefusal, SourceRef } from "../../agents/contract.ts";
import { findSource } from "../../agents/registry.ts";
import { shellQuote } from "../../base/text/shell-words.ts";

/** How to continue a session with its agent, or why that is not possible. */
export interface ResumeView {
  source: string;
  session_id: string;
  /** Where the session worked, and where the command must be run; null when that was not recorded. */
  dir: string | null;
  /** The agent's command, word by word; null when there is none. */
  argv: string[] | null;
  /** The same as one line for a POSIX shell, which works from any directory. */
  command: string | null;
  /** What the user should know before running it. */
  note: string | null;
  /**
   * Why there is no command. `no_resume`: the agent has none. `not_root`: another session started it; resume that one.
   * `file_gone`, `dir_gone`: the agent no longer has the session, or its directory does not exist. `odd_id`: the agent
   * would take the id for an option.
   */
  refused: ResumeRefusal["refused"] | "no_resume" | "not_root" | "file_gone" | "dir_gone" | "odd_id" | null;
  /** The same as a sentence, with what can be done instead. */
  why: string | null;
}

type Refused = Pick<ResumeView, "refused" | "why">;

/** `refs`: the session files that exist now. */
export function resumeOf(session: SessionView, refs: readonly SourceRef[]): ResumeView {
  const { source, session_id, cwd: dir } = session;
  const ref = refs.find((one) => one.path === session.session_path && isIn(one, session_id));
  const way = refusal(session, ref) ?? (ref && findSource(ref.source)?.resume?.(ref, session_id)) ?? null;
  const named = { source, session_id, dir };
  if (way === null || !("words" in way)) {
    const { refused, why } = way ?? { refused: "no_resume" as const, why: noCommand(ref?.source ?? source) };
    return { ...named, argv: null, command: null, note: null, refused, why };
  }
  const words = way.words.map(shellQuote).join(" ");
  const command = dir === null ? words : `cd ${shellQuote(dir)} && ${words}`;
  return { ...named, argv: [...way.words], command, note: way.note ?? null, refused: null, why: null };
}

/** A database of many sessions may exist without this one. */
function isIn(ref: SourceRef, id: string): boolean {
  return ref.key === undefined || findSource(ref.source)?.sessionId(ref) === id;
}

/** Reasons that hold for every agent. */
function refusal({ session_id, kind, parent, cwd }: SessionView, ref: SourceRef | undefined): Refused | null {
  const instead = `\`daybook handoff ${shellQuote(session_id)}\` writes a brief to go on from`;
  if (kind !== "root") {
    const begun = parent ? `; \`daybook resume ${shellQuote(parent.session_id)}\` takes up the one that began it` : "";
    return { refused: "not_root", why: `it is no session of a human${begun}` };
  }
  if (session_id.startsWith("-"))
    return { refused: "odd_id", why: `its id would be taken for an option by its agent; ${instead}` };
  if (!ref) return { refused: "file_gone", why: `the agent no longer has it, only the book does; ${instead}` };
  // A relative or Windows path comes from another machine.
  if (cwd !== null && !(isAbsolute(cwd) && existsSync(cwd)))
    return { refused: "dir_gone", why: `${cwd}, where it worked, is not there; ${instead}` };
  return null;
}

function noCommand(source: string): string {
  return `${findSource(source)?.name ?? source} has no command that takes a session up again`;
}
