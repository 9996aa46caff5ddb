import { recordsOf, type Recording } from "../recorded.ts";
import { decisionsOf, DecisionsCollector } from "../../turns/decisions/decisions.ts";
import type { Asked, DecisionPlace } from "../../turns/decisions/model.ts";
import type { LogRecord, RecordBody } from "../../record/record.ts";
import { FactsCollector, type TurnFacts } from "./facts.ts";

/** Counts for the totals, of a turn and the sessions it caused; null where nothing was counted. */
export interface WorkCounts {
  commits: number | null;
  children: number | null;
  unproven: boolean | null;
}

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

/** Of what the agent's client wrote in the human's name, nothing is taken. */
export function isNeeded(record: RecordBody): boolean {
  return NEEDED.has(record.type) && (record.type !== "user" || record.author === "human");
}

/** Collects facts and decisions in one pass over the records. */
export function factsInRecords(session: Recording, project: string): StoredFacts {
  const facts = new FactsCollector();
  const asked = decisionsOf(facts.passing(recordsOf(session, NEEDED)), { ...session, project });
  return { turns: [...facts.finish()], asked };
}

/** As `factsInRecords`, fed record by record. */
export class RecordFactsCollector {
  readonly #facts = new FactsCollector();
  readonly #decisions: DecisionsCollector;

  constructor(session: DecisionPlace) {
    this.#decisions = new DecisionsCollector(session);
  }

  take(record: LogRecord): void {
    this.#facts.take(record);
    this.#decisions.take(record);
  }

  finish(): StoredFacts {
    return { turns: [...this.#facts.finish()], asked: this.#decisions.asked() };
  }
}
