import { sessionKey, type Session, type Turn } from "./session.ts";

/**
 * Commands of the human's own that a client sends as their text, known by nothing but that the same long text was sent again
 * and again with a few lines changed. Asked only of agents that keep no word of a command, and only where the text came back in
 * several sessions on several days or in several places: who tries something again pastes the same words within the hour.
 */
export interface Sent {
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
/** So much of a text, by its letters, must stand in three sessions. */
const SHARE = 0.85;
const TYPED = 2000;

/** What texts of one template have in common: the first line. Null for what is short enough to be typed, or was sent by a program. */
export function headOf({ draft }: Turn): string | null {
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

/** What was typed of the texts that are one template filled in: its title, and the lines that only they have. */
export function typedOf<T extends Sent>(sent: readonly T[]): Map<T, string> {
  const found = new Map<T, string>();
  const lines = new Map(sent.map((one) => [one, linesOf(one.text)]));
  const sessions = new Map<string, Set<string>>();
  for (const [one, own] of lines) {
    for (const line of own) {
      const known = sessions.get(line);
      if (known) known.add(one.session);
      else sessions.set(line, new Set([one.session]));
    }
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

/** In three sessions, and not all on one day in one place. */
function isSpread(sent: readonly Sent[]): boolean {
  if (new Set(sent.map(({ session }) => session)).size < SESSIONS) return false;
  const days = new Set(sent.flatMap(({ time }) => (time === null ? [] : [Math.floor(time / 86_400_000)])));
  return days.size > 1 || new Set(sent.map(({ cwd }) => cwd)).size > 1;
}

function letters(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** Tells the turns whose prompt is a template, among all sessions. `isSilent`: the agent keeps no word of a command. */
export function markRepeated(sessions: readonly Session[], isSilent: (source: string) => boolean): void {
  const groups = new Map<string, (Sent & { turn: Turn })[]>();
  for (const session of sessions) {
    if (session.meta.kind !== "root" || !isSilent(session.source)) continue;
    for (const turn of session.turns) {
      const head = headOf(turn);
      if (head === null) continue;
      const one = { ...sentBy(turn), turn };
      const group = groups.get(head);
      if (group) group.push(one);
      else groups.set(head, [one]);
    }
  }
  for (const group of groups.values()) for (const [{ turn }, typed] of typedOf(group)) turn.typed = typed;
}

export function sentBy(turn: Turn): Sent {
  const { session, ref, draft } = turn;
  return {
    session: sessionKey(session),
    ref,
    time: draft.trigger.time,
    cwd: session.meta.cwd,
    text: draft.trigger.text,
  };
}
