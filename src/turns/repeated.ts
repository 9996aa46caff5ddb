import type { Session, Turn } from "./session.ts";
import { sessionKey } from "../record/session-key.ts";
import { addTo, getOrAdd } from "../base/maps.ts";

/**
 * Detects custom commands that a client sends as plain prompt text. The only evidence is that the same long text was
 * sent repeatedly with a few lines changed. Used only for agents that record nothing about commands, and only if the
 * text appeared in several sessions, on several days or in several directories: somebody who retries something pastes
 * the same text within the hour.
 */
export interface SentPrompt {
  session: string;
  ref: string;
  time: number | null;
  cwd: string | null;
  text: string;
}

const LONG = 800;
const MANY_LINES = 10;
const HEAD = 200;
const SESSIONS = 3;
/** This share of a text's characters must appear in at least three sessions. */
const SHARE = 0.85;
const TYPED = 2000;

/**
 * The first line, which all texts of one template have in common. Null for prompts that are short enough to be typed,
 * or that a program sent.
 */
export function templateHead({ draft }: Turn): string | null {
  const { kind, entry, text } = draft.trigger;
  if (kind !== "prompt" || entry === "headless" || entry === "sdk" || entry === "automated" || text.length < LONG)
    return null;
  const lines = linesOf(text);
  return lines.length < MANY_LINES ? null : (lines[0] ?? "").slice(0, HEAD);
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * For texts that are one template filled in: the title and the lines that only this text has, which is what the human
 * typed.
 */
export function findTyped<T extends SentPrompt>(sent: readonly T[]): Map<T, string> {
  const found = new Map<T, string>();
  const lines = new Map(sent.map((one) => [one, linesOf(one.text)]));
  const sessions = new Map<string, Set<string>>();
  for (const [one, own] of lines) {
    for (const line of own) getOrAdd(sessions, line, () => new Set()).add(one.session);
  }
  const isShared = (line: string): boolean => (sessions.get(line)?.size ?? 0) >= SESSIONS;
  for (const [one, own] of lines) {
    const shared = own.filter(isShared);
    if (shared.length < MANY_LINES - 1 || letters(shared) < SHARE * letters(own)) continue;
    const typed = own
      .filter((line) => !isShared(line))
      .join("\n")
      .slice(0, TYPED);
    const title = (own[0] ?? "").replace(/^#+\s*/, "");
    found.set(one, typed === "" ? title : `${title}\n${typed}`);
  }
  return isSpread([...found.keys()]) ? found : new Map();
}

/** In at least three sessions, and not all on the same day in the same directory. */
function isSpread(sent: readonly SentPrompt[]): boolean {
  if (new Set(sent.map(({ session }) => session)).size < SESSIONS) return false;
  const days = new Set(sent.flatMap(({ time }) => (time === null ? [] : [Math.floor(time / 86_400_000)])));
  return days.size > 1 || new Set(sent.map(({ cwd }) => cwd)).size > 1;
}

function letters(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/**
 * Marks the turns, across all sessions, whose prompt is a template. `isSilent`: the agent records nothing about
 * commands.
 */
export function markRepeated(sessions: readonly Session[], isSilent: (source: string) => boolean): void {
  const groups = new Map<string, (SentPrompt & { turn: Turn })[]>();
  for (const session of sessions) {
    if (session.meta.kind !== "root" || !isSilent(session.source)) continue;
    for (const turn of session.turns) {
      const head = templateHead(turn);
      if (head === null) continue;
      addTo(groups, head, { ...sentPrompt(turn), turn });
    }
  }
  for (const group of groups.values()) for (const [{ turn }, typed] of findTyped(group)) turn.typed = typed;
}

export function sentPrompt(turn: Turn): SentPrompt {
  const { session, ref, draft } = turn;
  return {
    session: sessionKey(session),
    ref,
    time: draft.trigger.time,
    cwd: session.meta.cwd,
    text: draft.trigger.text,
  };
}
