import { recordsOf, type Recording } from "../../views/recorded.ts";
import { decisionsOf } from "../../turns/decisions/decisions.ts";
import type { Asked } from "../../turns/decisions/model.ts";
import type { RecordBody } from "../../record/record.ts";
import type { WorkCounts } from "./model.ts";
import { FactsCollector, type TurnFacts } from "./facts.ts";

/** What a report takes from a session's records, as stored in the index. */
export interface StoredFacts {
  turns: [ref: string, facts: TurnFacts][];
  asked: Asked[];
  /** Only for sessions whose records are on another machine: the counts made there. */
  counted?: [ref: string, counted: WorkCounts][];
}

/** The record types that facts and decisions are made from; all others are skipped. */
const NEEDED: ReadonlySet<RecordBody["type"]> = new Set<RecordBody["type"]>([
  "user",
  "assistant_finished",
  "tool_started",
  "tool_finished",
  "cancelled",
]);

/** Collects facts and decisions in one pass over the records. */
export function factsInRecords(session: Recording, project: string): StoredFacts {
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
