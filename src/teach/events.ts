import type { Asked } from "../turns/decisions/model.ts";
import { logSource, UNKNOWN_CHOICE } from "../turns/decisions/question-log.ts";
import { gstackImportNames, gstackImportName, questionHookSource } from "../agents/traits.ts";
import { order } from "../base/text/order.ts";
import { addTo } from "../base/maps.ts";
import { textField, type LoggedLine } from "./log-lines.ts";
import { isHashId } from "./preferences.ts";

/** How a question ended. */
export type QuestionOutcome =
  | "followed"
  | "overridden"
  /** In the person's own words, or none of the options. */
  | "answered_otherwise"
  /** An option was taken, and none was recommended. */
  | "no_recommendation"
  /** Answered in a form that is not understood. */
  | "unclear"
  | "unanswered"
  /** Never asked: a preference decided. */
  | "auto_decided";

/** One question, counted once wherever it was found. */
export interface QuestionEvent {
  question_id: string;
  /** Its id comes from a marker, not from a hash of its text. */
  marked: boolean;
  summary: string;
  /** As the log states it; the registry may know better. */
  skill: string | null;
  /** Null when the log does not say. */
  agent: string | null;
  project: string;
  session_id: string | null;
  time: string | null;
  outcome: QuestionOutcome;
  choice: string | null;
  free_text: string | null;
  /** How it was recorded, in the terms of the question log. */
  source: string;
  found: "sessions" | "log" | "both";
  /** Id of the decision, if a session has it. */
  decision_id: string | null;
}

/**
 * Merges the questions found in sessions with the lines of the log, each question once. A line and a question are one
 * 1. when the line carries the decision's own id;
 * 2. when both are of one tool call and have the same question id, in the order asked;
 * 3. when both are of one session, moment and question id;
 * 4. when the line is the agent's own note (no call, other session ids): the same id in the same project, written within
 *    half a day after the question, one note for one question.
 * Lines that are the same by 1 to 3 among themselves count once, too.
 */
export function questionEvents(asked: readonly Asked[], lines: readonly LoggedLine[]): QuestionEvent[] {
  const open = new LinesByKey(lines);
  const events: QuestionEvent[] = [];
  for (const one of asked) {
    if (one.kind !== "question") continue;
    const line = open.take(one);
    events.push(line === null ? fromSession(one) : mergeEvents(fromSession(one), fromLog(line)));
  }
  const noted = new AgentNotes(events);
  for (const line of open.rest()) if (!noted.take(line)) events.push(fromLog(line));
  return events.sort((a, b) => order(a.time ?? "", b.time ?? ""));
}

/** Log lines by the keys that identify a question. */
class LinesByKey {
  readonly #lines: readonly LoggedLine[];
  readonly #byKey = new Map<string, LoggedLine[]>();
  readonly #taken = new Set<LoggedLine>();

  constructor(lines: readonly LoggedLine[]) {
    this.#lines = lines;
    for (const line of lines) for (const key of keysOfLine(line)) addTo(this.#byKey, key, line);
  }

  take(asked: Asked): LoggedLine | null {
    for (const key of keysOfAsked(asked)) {
      const group = this.#byKey.get(key) ?? [];
      const line = group.find((one) => !this.#taken.has(one));
      if (!line) continue;
      for (const same of group) if (same === line || isRepeat(same, line)) this.#taken.add(same);
      return line;
    }
    return null;
  }

  /** The lines that match no question of a session, without repeats. */
  rest(): LoggedLine[] {
    const rest: LoggedLine[] = [];
    for (const line of this.#lines) {
      if (this.#taken.has(line)) continue;
      this.#taken.add(line);
      for (const key of keysOfLine(line))
        for (const same of this.#byKey.get(key) ?? []) if (isRepeat(same, line)) this.#taken.add(same);
      rest.push(line);
    }
    return rest;
  }
}

/** Two programs may have recorded the same question; two questions of one call differ in choice or text. */
function isRepeat(a: LoggedLine, b: LoggedLine): boolean {
  return a.choice === b.choice && (a.summary === b.summary || a.source !== b.source);
}

function keysOfLine(line: LoggedLine): string[] {
  const [id, call, session] = ["daybook_id", "tool_use_id", "session_id"].map((name) => textField(line, name));
  return [
    ...(id ? [`id ${id}`] : []),
    ...(call ? [callKey(call, line.question_id)] : []),
    ...(session && line.time !== null ? [momentKey(session, line.time, line.question_id)] : []),
  ];
}

function keysOfAsked({ decision, call_id: call }: Asked): string[] {
  const { id, question_id, session_id, time } = decision;
  return [
    `id ${id}`,
    ...(call === null ? [] : [callKey(call, question_id)]),
    ...(time === null ? [] : [momentKey(session_id.slice(0, 64), time, question_id)]),
  ];
}

function callKey(call: string, question: string): string {
  return `call ${call.slice(0, 128)} ${question}`;
}

function momentKey(session: string, time: string, question: string): string {
  return `moment ${session} ${time} ${question}`;
}

/** In ms. */
const NOTED_WITHIN = 12 * 3600_000;
const CLOCKS_DIFFER = 60_000;

class AgentNotes {
  readonly #open = new Map<string, QuestionEvent[]>();

  constructor(events: readonly QuestionEvent[]) {
    for (const event of events) {
      if (event.time === null || !event.marked) continue;
      addTo(this.#open, event.question_id, event);
    }
  }

  take(line: LoggedLine): boolean {
    if (line.source !== "agent" || line.time === null || textField(line, "tool_use_id") !== null) return false;
    const at = Date.parse(line.time);
    const group = this.#open.get(line.question_id) ?? [];
    const project = textField(line, "project") ?? line.slug;
    const index = group.findLastIndex(({ time, project: of }) => {
      const asked = Date.parse(time ?? "");
      return (of === project || of === line.slug) && asked <= at + CLOCKS_DIFFER && at - asked <= NOTED_WITHIN;
    });
    const event = group[index];
    if (!event) return false;
    group.splice(index, 1);
    event.found = "both";
    return true;
  }
}

function fromSession({ decision, unknown_answer }: Asked): QuestionEvent {
  const { question_id, source, session_id, time, project, choice, free_text, tier } = decision;
  return {
    question_id,
    marked: !isHashId(question_id),
    summary: decision.title,
    skill: gstackImportName(source),
    agent: source,
    project,
    session_id,
    time,
    choice,
    free_text,
    found: "sessions",
    decision_id: decision.id,
    outcome: unknown_answer ? "unclear" : outcomeOf(decision),
    source: logSource(tier, gstackImportName(source), question_id, free_text),
  };
}

function outcomeOf({
  answered,
  choice,
  followed_recommendation: followed,
  options,
  free_text,
}: Asked["decision"]): QuestionOutcome {
  if (!answered) return "unanswered";
  if (choice === null || !options.some(({ label }) => choice.includes(label)))
    return choice === null && free_text === null ? "unclear" : "answered_otherwise";
  return followed === null ? "no_recommendation" : followed ? "followed" : "overridden";
}

function fromLog(line: LoggedLine): QuestionEvent {
  const free = textField(line, "free_text");
  return {
    question_id: line.question_id,
    marked: !isHashId(line.question_id),
    summary: line.summary,
    skill: textField(line, "skill"),
    agent: agentOf(line),
    session_id: textField(line, "session_id"),
    project: textField(line, "project") ?? line.slug,
    time: line.time,
    source: line.source,
    outcome: loggedOutcome(line, free),
    choice: line.choice,
    free_text: free,
    found: "log",
    decision_id: null,
  };
}

function loggedOutcome(line: LoggedLine, free: string | null): QuestionOutcome {
  if (line.source === "auto-decided") return "auto_decided";
  if (line.choice === UNKNOWN_CHOICE) return "unclear";
  // Free text replaces an option, or comes with a plain "Other".
  if (free !== null && (/^other$/i.test(line.choice.trim()) || free.startsWith(line.choice)))
    return "answered_otherwise";
  const followed = line.fields["followed_recommendation"];
  return typeof followed !== "boolean" ? "no_recommendation" : followed ? "followed" : "overridden";
}

/**
 * The live hook belongs to one agent, and importers name the agent they import from; an agent's own note names none.
 */
function agentOf({ source }: LoggedLine): string | null {
  if (source === "agent") return null;
  const imported = gstackImportNames().find(({ name }) => source.startsWith(`${name}-import-`));
  return imported?.source ?? questionHookSource();
}

/**
 * Sessions have more detail. Only the log knows what a preference decided, and answers that are missing in sessions.
 */
function mergeEvents(session: QuestionEvent, log: QuestionEvent): QuestionEvent {
  const isDecided = log.outcome === "auto_decided";
  const isMissing = session.outcome === "unanswered" || session.outcome === "unclear";
  const { outcome, choice, free_text } = isDecided || (isMissing && log.outcome !== "unclear") ? log : session;
  return {
    ...session,
    outcome,
    choice,
    free_text,
    found: "both",
    source: log.source,
    skill: log.skill ?? session.skill,
  };
}
