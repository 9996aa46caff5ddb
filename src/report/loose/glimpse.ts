import type { TriggerEntry, TriggerKind } from "../../format/record.ts";
import type { Outcome } from "../../turns/model.ts";
import type { Turn } from "../../turns/session.ts";

/** As much of a turn as is needed to tell whether it took up what another one left. */
export interface Glimpse {
  source: string;
  session_id: string;
  ref: string;
  time: number;
  project: string;
  project_key: string;
  prompt: string;
  kind: TriggerKind;
  entry: TriggerEntry;
  final: string;
  outcome: Outcome;
  taken_back: boolean;
  /** It changed files. */
  changed: boolean;
  /** A call of it failed or was refused. */
  trouble: boolean;
}

/** Null for a turn without a time, which belongs to no day. */
export function glimpseOf(turn: Turn, project: { project: string; project_key: string }): Glimpse | null {
  const { draft, session, ref } = turn;
  const { trigger } = draft;
  if (trigger.time === null) return null;
  return {
    source: session.source,
    session_id: session.session_id,
    ref,
    time: trigger.time,
    project: project.project,
    project_key: project.project_key,
    prompt: trigger.text,
    kind: trigger.kind,
    entry: trigger.entry,
    final: draft.final_text,
    outcome: draft.outcome,
    taken_back: draft.taken_back !== null,
    changed: draft.files.length > 0,
    trouble: turn.calls.some(({ call }) => call.parent_call_id === null && /^(?:failed|denied)$/.test(call.status)),
  };
}

/** The work around a span: what a report has to look at beyond its own turns. */
export interface Work {
  /**
   * Of every session the newest turn of a span; where that was not completed, also the newest that was. Turns that were taken
   * back never were.
   */
  newest(start: number, end: number): Glimpse[];
  /** All turns in a span of the projects that `wanted` takes, in order of time. */
  turns(start: number, end: number, wanted: (project: { project: string; project_key: string }) => boolean): Glimpse[];
}

/** What `newest` tells of one session, given its turns in order of time. */
export function lastOf(turns: readonly Glimpse[]): Glimpse[] {
  const there = turns.filter(({ taken_back }) => !taken_back);
  const last = there.at(-1);
  if (!last || last.outcome === "completed") return last ? [last] : [];
  const done = there.findLast(({ outcome }) => outcome === "completed");
  return done ? [done, last] : [last];
}

/** Turns the human took back never were; those of a program are its own affair. */
export function isOfHuman({ taken_back, entry }: Pick<Glimpse, "taken_back" | "entry">): boolean {
  return !taken_back && entry !== "automated";
}

export function byTime(a: Glimpse, b: Glimpse): number {
  return a.time - b.time || order(a.source, b.source) || order(a.session_id, b.session_id) || order(a.ref, b.ref);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function sessionOf({ source, session_id }: Pick<Glimpse, "source" | "session_id">): string {
  return `${source}/${session_id}`;
}
