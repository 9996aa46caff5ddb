import { marksInBrief, type Marks } from "../../views/marks.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { TurnView } from "../../views/turn-view.ts";
import type { LogRecord } from "../../record/record.ts";
import { saidIn } from "../../record/review-text.ts";
import { inputSummary } from "../../base/text/input-summary.ts";
import type { Zone } from "../../base/time/zone.ts";
import { lineOf, turnCitation, whenOf } from "./tool.ts";
import { sessionKey } from "../../record/session-key.ts";

export type Detail = "compact" | "full";

/** Longest summary of a tool call in a compact transcript. */
const LONGEST = 300;

/** Fields of the record envelope, not of its content. */
const ENVELOPE = new Set(["schema_version", "seq", "time", "session_id", "origin", "turn_id", "type"]);

/** A session as a transcript for models: one statement after the other, each with its native line number. */
export function transcript(session: SessionView, zone: Zone, detail: Detail): Transcript {
  return new Transcript(session, zone, detail);
}

class Transcript {
  readonly #zone: Zone;
  readonly #detail: Detail;
  readonly #turns = new Map<string, TurnView>();
  readonly #out: (string | { call: string; text: string })[];
  readonly #ends = new Map<string, string>();
  #turn: string | null = null;

  constructor(session: SessionView, zone: Zone, detail: Detail) {
    this.#zone = zone;
    this.#detail = detail;
    this.#out = [
      lineOf([turnCitation({ ...session, turn_ref: null }), session.project, session.agent_version, session.title]),
      ...ownMarks(session.marks, zone),
    ];
  }

  /** Announces a turn whose records may follow. */
  expect(turn: TurnView): void {
    this.#turns.set(turn.turn_ref, turn);
  }

  add(record: LogRecord): void {
    const ref = record.turn_id ?? null;
    if (ref !== null && ref !== this.#turn) this.#begin(ref);
    const said = this.#detail === "full" ? fullOf(record) : compactOf(record);
    if (record.type === "tool_finished") this.#ends.set(record.call_id, endOf(record));
    if (said === null) return;
    const head = `[${record.origin.line ?? record.origin.row ?? "-"}] `;
    if (record.type === "tool_started") this.#out.push({ call: record.call_id, text: head + said });
    else this.#out.push(head + said);
  }

  /** The outcome of a call is printed with its start; the last settlement wins. */
  text(): string {
    return this.#out
      .map((one) => (typeof one === "string" ? one : `${one.text} → ${this.#ends.get(one.call) ?? "pending"}`))
      .join("\n");
  }

  #begin(ref: string): void {
    this.#turn = ref;
    const turn = this.#turns.get(ref);
    if (!turn) return;
    const { start_line, end_line, outcome, taken_back, trigger } = turn;
    const place = `${turnCitation(turn)}:${start_line}-${end_line}`;
    this.#out.push(
      "",
      `== ${lineOf([place, whenOf(this.#zone, trigger.time), outcome, taken_back])}`,
      ...ownMarks(turn.marks, this.#zone),
    );
  }
}

/** The marks a human put on it. */
function ownMarks(marks: Marks | null, zone: Zone): string[] {
  if (!marks) return [];
  const signs = marksInBrief({ ...marks, notes: [] });
  return [
    ...(signs.length === 0 ? [] : [`marked: ${signs.join(", ")}`]),
    ...marks.notes.map(({ text, time }) => `note of ${zone.day(Date.parse(time))}: ${text}`),
  ];
}

function endOf(record: Extract<LogRecord, { type: "tool_finished" }>): string {
  return lineOf([record.status, record.exit_code === null ? null : `exit ${record.exit_code}`]);
}

/** Null if the record is left out of a compact transcript. */
function compactOf(record: LogRecord): string | null {
  switch (record.type) {
    case "user":
      return record.author === "human" ? `human: ${record.text}` : null;
    case "assistant_finished":
      return saidIn(record) === "" ? null : `agent: ${saidIn(record)}`;
    case "tool_started": {
      const input = inputSummary(record.input).replaceAll(/\s+/g, " ");
      return `tool ${record.name}: ${input.length > LONGEST ? `${input.slice(0, LONGEST)}…` : input}`;
    }
    case "failed":
      return `failed: ${record.message}`;
    case "cancelled":
      return `stopped: ${record.reason}`;
    case "compacted":
      return `context compacted (${record.trigger})`;
    case "child_linked":
      return `${record.relation} ${record.phase}: ${sessionKey(record.child)}`;
    case "unreadable":
      return `unreadable: ${record.reason} (${record.bytes} bytes)`;
    default:
      return null;
  }
}

/** The whole content of a record: texts verbatim, the rest as JSON. */
function fullOf(record: LogRecord): string {
  const rest = Object.fromEntries(Object.entries(record).filter(([key]) => !ENVELOPE.has(key)));
  const more = (...without: string[]): string => {
    const others = Object.entries(rest).filter(([key, value]) => !without.includes(key) && value !== null);
    return others.length === 0 ? "" : ` ${JSON.stringify(Object.fromEntries(others))}`;
  };
  switch (record.type) {
    case "user":
      return `${record.author}${more("author", "text")}: ${record.text}`;
    case "assistant_finished":
      return `agent${more("text")}: ${record.text}`;
    case "reasoning_finished":
      return `reasoning${more("text")}: ${record.text}`;
    case "tool_started": {
      const input = typeof record.input === "string" ? record.input : JSON.stringify(record.input);
      return `tool ${record.name}${more("name", "input")}: ${input}`;
    }
    case "tool_finished":
      return `result${more("output")}: ${record.output ?? ""}`;
    default:
      return `${record.type}${more()}`;
  }
}
