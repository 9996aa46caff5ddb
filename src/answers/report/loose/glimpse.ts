import type { TriggerEntry, TriggerKind } from "../../../record/record.ts";
import type { Outcome } from "../../../turns/model.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { order } from "../../../base/text/order.ts";
import { keyOfSession } from "../../../record/session-key.ts";

/** The part of a turn that is needed to tell whether it took up what another one left. */
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
  /** One of its calls failed or was denied. */
  trouble: boolean;
  /** The texts are known: a team store may hold only numbers. */
  worded: boolean;
}

export function glimpseOf(view: TurnView): Glimpse {
  const { source, session_id, project, project_key, turn_ref, trigger, outcome, taken_back, final_text, files, tools } =
    view;
  return {
    source,
    session_id,
    project,
    project_key,
    outcome,
    ref: turn_ref,
    time: Date.parse(trigger.time ?? ""),
    // Texts that the store does not hold count as empty.
    prompt: trigger.text ?? "",
    kind: trigger.kind,
    entry: trigger.entry ?? "unknown",
    final: final_text ?? "",
    taken_back: taken_back !== null,
    changed: (files ?? []).length > 0,
    trouble: tools.failed + tools.denied > 0,
    worded: final_text !== null,
  };
}

/** The turns of one session that `SurroundingTurns.newest` returns, given all of them in order of time. */
export function lastOf(turns: readonly Glimpse[]): Glimpse[] {
  const there = turns.filter(({ taken_back }) => !taken_back);
  const last = there.at(-1);
  if (!last || last.outcome === "completed") return last ? [last] : [];
  const done = there.findLast(({ outcome }) => outcome === "completed");
  return done ? [done, last] : [last];
}

/** Turns that were taken back do not count, nor do turns started by a program. */
export function isOfHuman({ taken_back, entry }: Pick<Glimpse, "taken_back" | "entry">): boolean {
  return !taken_back && entry !== "automated";
}

export function byTime(a: Glimpse, b: Glimpse): number {
  return a.time - b.time || order(a.source, b.source) || order(a.session_id, b.session_id) || order(a.ref, b.ref);
}

export function sessionOf({ source, session_id }: Pick<Glimpse, "source" | "session_id">): string {
  return keyOfSession(source, session_id);
}
