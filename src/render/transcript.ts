import type { LogRecord, ToolFinishedBody } from "../record/record.ts";
import { saidIn } from "../record/review-text.ts";
import { expectedExitOf, isExpectedOutput } from "../base/shell/no-hit.ts";
import { inputSummary } from "../base/text/input-summary.ts";
import { marksInBrief, type Marks } from "../views/marks.ts";
import type { TurnView } from "../views/turn-view.ts";

/** What one record says to a reader of a session, the same on a terminal, for a model and in Markdown. */
export type Statement =
  | { kind: "user"; author: Extract<LogRecord, { type: "user" }>["author"]; text: string }
  | { kind: "agent" | "thought" | "failed"; text: string }
  | { kind: "call"; name: string; input: string }
  | { kind: "child"; relation: string; child: Extract<LogRecord, { type: "child_linked" }>["child"] }
  /** What happened to the session, in words that need no more. */
  | { kind: "stopped" | "compacted" | "unreadable"; text: string };

/** One line of a transcript. */
export interface TranscriptLine<Said> {
  turn_ref: string | null;
  /** The turn that begins with this line; undefined on the lines that follow, null if it is not known. */
  begins: TurnView | null | undefined;
  origin: LogRecord["origin"];
  /** Null for a record without a statement that begins a turn. */
  said: Said | null;
  isCall: boolean;
  /** How a call ended; null if it has not. `isAnswer`: its exit code is an ordinary answer, such as a search without a hit. */
  end: (Pick<ToolFinishedBody, "status" | "exit_code"> & { isAnswer: boolean }) | null;
}

/** Collects a session record by record; records themselves are not kept. */
export class Transcript<Said> {
  readonly #turns: ReadonlyMap<string, TurnView>;
  readonly #statementOf: (record: LogRecord) => Said | null;
  readonly #lines: (Omit<TranscriptLine<Said>, "isCall" | "end"> & { call_id: string | null })[] = [];
  readonly #calls = new Calls();
  #turn: string | null = null;

  constructor(turns: readonly TurnView[], statementOf: (record: LogRecord) => Said | null) {
    this.#turns = new Map(turns.map((turn) => [turn.turn_ref, turn]));
    this.#statementOf = statementOf;
  }

  add(record: LogRecord): void {
    const { turn_id: turn_ref = null, origin, type } = record;
    const isNext = turn_ref !== null && turn_ref !== this.#turn;
    if (isNext) this.#turn = turn_ref;
    this.#calls.add(record);
    const said = this.#statementOf(record);
    if (said === null && !isNext) return;
    const begins = isNext ? (this.#turns.get(turn_ref) ?? null) : undefined;
    const call_id = type === "tool_started" ? record.call_id : null;
    this.#lines.push({ turn_ref, begins, origin, said, call_id });
  }

  /** A call stands where it began, with its last settlement. */
  lines(): TranscriptLine<Said>[] {
    return this.#lines.map(({ call_id, ...line }) => ({
      ...line,
      isCall: call_id !== null,
      end: (call_id === null ? undefined : this.#calls.ends.get(call_id)) ?? null,
    }));
  }
}

/** How each call ended, judged as the tool ledger does. */
class Calls {
  readonly ends = new Map<string, NonNullable<TranscriptLine<unknown>["end"]>>();
  readonly #answers = new Map<string, ReturnType<typeof expectedExitOf>>();

  add(record: LogRecord): void {
    if (record.type === "tool_started") this.#answers.set(record.call_id, expectedExitOf(record.name, record.input));
    if (record.type !== "tool_finished") return;
    const { call_id, status, exit_code, output, error } = record;
    const answer = status === "failed" && exit_code === 1 ? (this.#answers.get(call_id) ?? null) : null;
    const isAnswer = answer !== null && isExpectedOutput(answer, output ?? error ?? "");
    this.ends.set(call_id, { status, exit_code, isAnswer });
  }
}

/** Calls of these records whose exit code is an ordinary answer: no failures. */
export function expectedExits(records: readonly LogRecord[]): ReadonlySet<string> {
  const calls = new Calls();
  for (const record of records) calls.add(record);
  return new Set([...calls.ends].filter(([, { isAnswer }]) => isAnswer).map(([id]) => id));
}

/** How a call ended, in a word or two. */
export function endWords(end: TranscriptLine<unknown>["end"]): string {
  if (end === null) return "pending";
  const code = end.exit_code === null ? "" : `exit ${end.exit_code}`;
  return end.isAnswer ? code : `${end.status} ${code}`.trim();
}

/** The transcript of records that are all at hand. */
export function transcriptOf(turns: readonly TurnView[], records: readonly LogRecord[]): TranscriptLine<Statement>[] {
  const transcript = new Transcript(turns, statementOf);
  for (const record of records) transcript.add(record);
  return transcript.lines();
}

/** Null if the record says nothing to a reader. */
export function statementOf(record: LogRecord): Statement | null {
  switch (record.type) {
    case "user":
      return { kind: "user", author: record.author, text: record.text };
    case "assistant_finished":
      return spoken("agent", saidIn(record));
    case "reasoning_finished":
      return spoken("thought", record.text);
    case "tool_started":
      return { kind: "call", name: record.name, input: inputSummary(record.input) };
    case "failed":
      return { kind: "failed", text: record.message };
    case "cancelled":
      return { kind: "stopped", text: `stopped: ${record.reason}` };
    case "compacted":
      return { kind: "compacted", text: `context compacted (${record.trigger})` };
    case "child_linked":
      return { kind: "child", relation: `${record.relation} ${record.phase}`, child: record.child };
    case "unreadable":
      return { kind: "unreadable", text: `unreadable: ${record.reason} (${record.bytes} bytes)` };
    default:
      return null;
  }
}

function spoken(kind: "agent" | "thought", text: string): Statement | null {
  return text === "" ? null : { kind, text };
}

/** The star and the labels on a session or turn, and its notes. */
export function marksShown(marks: Marks | null): { signs: string[]; notes: Marks["notes"] } {
  return marks ? { signs: marksInBrief({ ...marks, notes: [] }), notes: marks.notes } : { signs: [], notes: [] };
}
