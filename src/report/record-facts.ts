import { recordsOf, type RecordedSession } from "../answers/recorded.ts";
import { decisionsOf } from "../decisions/decisions.ts";
import type { Asked } from "../decisions/model.ts";
import type { RecordBody } from "../format/record.ts";
import type { CountedTurn } from "./model.ts";
import { FactsCollector, type TurnFacts } from "./facts.ts";

/** What a session's records tell a report, as it is kept in the index. */
export interface StoredFacts {
  turns: [ref: string, facts: TurnFacts][];
  asked: Asked[];
  /** Only of sessions whose records are elsewhere: what was counted there. */
  counted?: [ref: string, counted: CountedTurn][];
}

/** All that facts and decisions are made from: the others need not be looked at. */
const NEEDED: ReadonlySet<RecordBody["type"]> = new Set<RecordBody["type"]>([
  "user",
  "assistant_finished",
  "tool_started",
  "tool_finished",
  "cancelled",
]);

/** Reads them in one pass, for both that need them. */
export function factsInRecords(session: RecordedSession, project: string): StoredFacts {
  const collector = new FactsCollector();
  const records = tapped(recordsOf(session, NEEDED), (record) => collector.take(record));
  const asked = decisionsOf(records, { ...session, project });
  return { turns: [...collector.finish()], asked };
}

function* tapped<T>(items: Iterable<T>, look: (item: T) => void): Generator<T, void, undefined> {
  for (const item of items) {
    look(item);
    yield item;
  }
}
