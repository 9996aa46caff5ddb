import { createHash } from "node:crypto";
import { EarlyResults } from "../../record/early.ts";
import type { LogRecord, RecordEnvelope, ToolFinishedBody, ToolStartedBody } from "../../record/record.ts";
import { briefsIn, hashId } from "./brief.ts";
import { lineOf, skillOf, type DecisionPlace, type Asked, type Decision } from "./model.ts";
import { readAnswer } from "./prose/answer.ts";
import { Exchanges } from "./prose/exchanges.ts";
import { OpenBriefs } from "./replies.ts";
import { answersIn, type QuestionAnswer } from "./result.ts";
import {
  APPROVE,
  deniedByHuman,
  KEEP_PLANNING,
  permissionQuestion,
  planQuestion,
  questionsOf,
  refusedByRule,
  refusalText,
  type Question,
} from "./structured.ts";
import { fieldsOf } from "./values.ts";
import { WordsBesideRefusals } from "./words-beside.ts";

interface Call {
  started: RecordEnvelope;
  questions: Question[];
  asked: Asked[];
}

/**
 * Every question put to the human in one session, in the order asked. Makes one pass, so the records may be a stream.
 * `replies`: the final text of each turn, where the records are only those about questions.
 */
export function decisionsOf(
  records: Iterable<LogRecord>,
  session: DecisionPlace,
  replies: ReadonlyMap<string, string> | null = null,
): Asked[] {
  const collector = new DecisionsCollector(session, replies);
  for (const record of records) collector.take(record);
  return collector.asked();
}

/** As `decisionsOf`, fed record by record by a caller that makes the pass for other reasons too. */
export class DecisionsCollector {
  readonly #session: DecisionPlace;
  readonly #found = new Map<Asked, number>();
  readonly #ids = new Map<string, number>();
  readonly #calls = new Map<string, Call>();
  readonly #early = new EarlyResults<LogRecord & ToolFinishedBody>();
  readonly #replies = new OpenBriefs();
  readonly #words = new WordsBesideRefusals();

  readonly #exchanges: Exchanges;
  /** The question whose dialogue was closed last: only the next prompt can still answer it. */
  #closed: { asked: Asked; question: Question } | null = null;

  constructor(session: DecisionPlace, replies: ReadonlyMap<string, string> | null = null) {
    this.#session = session;
    this.#exchanges = new Exchanges(replies);
  }

  asked(): Asked[] {
    if (this.#session.kind === "root") this.#decidedInProse();
    return [...this.#found].sort((a, b) => a[1] - b[1]).map(([asked]) => asked);
  }

  take(record: LogRecord): void {
    switch (record.type) {
      case "assistant_finished":
        if (record.text !== "") {
          this.#briefs(record, record.text);
          this.#exchanges.reply(record, record.text);
        }
        if (typeof record.plan === "string") this.#plan(record, record.plan);
        break;
      case "user":
        // Only prompts a human typed can be answers; commands and shell lines are addressed to the client, not to the
        // agent.
        if (record.author !== "human" || record.kind === undefined) break;
        if (record.kind === "answer")
          for (const refused of this.#words.take(record, record.text)) this.#finished(refused);
        this.#replies.answerPlan(record, record);
        this.#exchanges.prompt(record, record);
        if (record.kind !== "answer") this.#answerClosed(record, record.text);
        if (record.kind === "command" || record.kind === "shell") this.#replies.countMessage(record);
        else this.#replies.reply(record, record.text);
        break;
      case "tool_started":
        this.#started(record, record);
        this.#settleEarly(record.call_id);
        break;
      case "tool_finished":
        this.#finished(record);
        break;
      case "cancelled":
        if (record.reason === "rolled_back") {
          this.#replies.takeBack(record.turns ?? 1);
          this.#exchanges.takeBack(record.turns ?? 1);
        } else if (record.reason === "rewound") {
          this.#replies.rewind(record.from_line ?? Infinity, record.origin.path);
          this.#exchanges.rewind(record.from_line ?? Infinity, record.origin.path);
        }
        break;
      default:
    }
  }

  /** A prompt that answers a recorded question says nothing else, and a reply that asks one is answered there. */
  #decidedInProse(): void {
    const recorded = [...this.#found.keys()];
    const answers = new Set(recorded.map(({ decision }) => decision.answered_line));
    const inText = recorded.filter(({ call_id }) => call_id === null);
    const turns = new Set(inText.map(({ decision }) => decision.turn_ref));
    for (const { answer, asked_turn, ...found } of this.#exchanges.decisions()) {
      const line = lineOf(answer);
      if ((line !== null && answers.has(line)) || (asked_turn !== null && turns.has(asked_turn))) continue;
      const question: Question = { ...NO_CALL, ...found };
      const asked = this.#ask(answer, question, "prose", `prose ${line}`, null);
      const { choice, free_text, asked_line } = found;
      Object.assign(asked, { kind: "prose" });
      Object.assign(asked.decision, { choice, free_text, asked_line, answered: true, answered_line: line });
      if (choice !== null && found.recommended !== null)
        asked.decision.followed_recommendation = choice === found.recommended;
    }
  }

  #briefs(record: LogRecord, text: string): void {
    // A sub-agent's text goes to the agent that started it, not to the human.
    if (this.#session.kind !== "root" && record.turn_id === undefined) return;
    for (const [k, brief] of briefsIn(text).entries()) {
      const labels = brief.options.map((option) => option.label);
      const id = brief.marker ?? hashId(skillOf(this.#session.source), brief.title, labels);
      if (this.#replies.isOpen(id, brief.ref)) continue;
      const question: Question = { ...NO_CALL, ...brief, question_id: id };
      const asked = this.#ask(record, question, brief.tier, `line ${lineOf(record)} ${k} ${id}`, null);
      this.#replies.open({ asked, brief, turn: record.turn_id });
    }
  }

  /** A plan that the client shows for approval; the next message of the human answers it. */
  #plan(record: LogRecord, plan: string): void {
    if (this.#session.kind !== "root" && record.turn_id === undefined) return;
    const question = planQuestion(plan);
    const asked = this.#ask(record, question, "structured", `plan ${lineOf(record)}`, null);
    this.#replies.openPlan(asked);
  }

  #started(record: LogRecord, body: ToolStartedBody): void {
    const questions = questionsOf(body.name, body.input, this.#session.source);
    // For other calls, only what a refusal would need is kept, not their input.
    if (questions === null) {
      this.#calls.set(body.call_id, {
        started: envelope(record),
        questions: [permissionQuestion(body.name, body.input)],
        asked: [],
      });
      return;
    }
    if (this.#calls.get(body.call_id)?.asked.length) return;
    // The agent wrote the brief and then also asked it with the tool: this is one question.
    const written = questions.flatMap((question) => this.#replies.withdraw(question, record.turn_id));
    for (const asked of written) this.#found.delete(asked);
    const asked = questions.map((question, k) =>
      this.#ask(record, question, "structured", `call ${body.call_id} ${k}`, body.call_id),
    );
    this.#calls.set(body.call_id, { started: envelope(record), questions, asked });
  }

  #finished(record: LogRecord & ToolFinishedBody): void {
    const call = this.#calls.get(record.call_id);
    const [first] = call?.questions ?? [];
    if (!call) this.#early.hold(record.call_id, record);
    if (!call || !first) return;
    if (first.kind === "permission") this.#permission(call, first, record);
    const said = refusalText(record) ?? this.#words.with(record);
    for (const [i, asked] of call.asked.entries()) {
      const question = call.questions[i];
      const answer = question ? answerOf(record, call.questions, i, said) : "unasked";
      if (question && answer !== "unasked") {
        settle(asked, question, answer, record);
        if (answer === "unanswered" && question.kind === "question") this.#closed = { asked, question };
      } else this.#found.delete(asked);
    }
  }

  /** Whoever closes the dialogue and types the name of an option has chosen it. */
  #answerClosed(record: LogRecord, text: string): void {
    const closed = this.#closed;
    this.#closed = null;
    if (!closed || closed.asked.decision.answered) return;
    const { title, options } = closed.question;
    const alternatives = options.map(({ letter, label }) => ({ label: letter.toLowerCase(), text: label }));
    const reply = { text: title, sentences: [title], question: title, alternatives, recommended: null };
    const said = readAnswer(text, reply);
    const choice = said?.kind === "picks" && said.at !== null ? (options[said.at]?.label ?? null) : null;
    if (choice !== null) settle(closed.asked, closed.question, { choice, free_text: text }, record);
  }

  #settleEarly(callId: string): void {
    const early = this.#early.take(callId);
    if (early) this.#finished(early);
  }

  /** A call may be settled again: if the later settlement is no refusal, the question is removed. */
  #permission(call: Call, question: Question, body: ToolFinishedBody): void {
    const denied = deniedByHuman(body, this.#session.source);
    if (denied && call.asked.length === 0) {
      call.asked = [this.#ask(call.started, question, "structured", `call ${body.call_id} permission`, body.call_id)];
    }
    if (!denied) for (const asked of call.asked.splice(0)) this.#found.delete(asked);
  }

  #ask(record: RecordEnvelope, question: Question, tier: Decision["tier"], anchor: string, call: string | null): Asked {
    const { source, session_id, project, cwd } = this.#session;
    const decision: Decision = {
      id: this.#id(anchor),
      tier,
      question_id: question.question_id,
      title: question.title,
      options: question.options,
      recommended: question.recommended,
      choice: null,
      free_text: null,
      answered: false,
      followed_recommendation: null,
      asked_line: lineOf(record),
      answered_line: null,
      source,
      session_id,
      turn_ref: record.turn_id ?? null,
      project,
      time: record.time,
    };
    const asked: Asked = { decision, kind: question.kind, call_id: call, cwd, unknown_answer: false };
    this.#found.set(asked, record.seq);
    return asked;
  }

  /** The same in every run and on every machine: derived from the session and the question's position in it. */
  #id(anchor: string): string {
    const { source, session_id } = this.#session;
    const before = this.#ids.get(anchor) ?? 0;
    this.#ids.set(anchor, before + 1);
    const name = `${source}\n${session_id}\n${anchor}${before === 0 ? "" : `\n${before}`}`;
    return createHash("sha256").update(name).digest("hex").slice(0, 16);
  }
}

function envelope({ schema_version, seq, time, session_id, origin, turn_id }: LogRecord): RecordEnvelope {
  return { schema_version, seq, time, session_id, origin, ...(turn_id === undefined ? {} : { turn_id }) };
}

const NO_CALL = {
  kind: "question",
  keys: { id: null, text: "", header: null },
  labels: [] as string[],
  multi: false,
  secret: false,
} as const satisfies Partial<Question>;

const REJECTED = /^\s*(?:plan (?:was )?rejected|(?:the )?user (?:rejected|declined|cancelled|wants to keep))/i;

/** `said`: what the human typed when refusing. */
function answerOf(
  body: ToolFinishedBody,
  questions: readonly Question[],
  at: number,
  said: string | null,
): QuestionAnswer {
  const kind = questions[at]?.kind;
  if (kind === "permission") return { choice: "Deny", free_text: said };
  // A call that failed never reached the human: its input was wrong, or nobody was there to ask.
  if (body.status === "failed" || refusedByRule(body) || fieldsOf(body.structured)["nobody_asked"] === true)
    return "unasked";
  if (kind === "plan") {
    const refused = body.status === "denied" || REJECTED.test(body.output ?? "");
    if (refused) return { choice: KEEP_PLANNING, free_text: said };
    return body.status === "ok" ? { choice: APPROVE, free_text: null } : "unanswered";
  }
  if (body.status === "ok") return answersIn(body.output ?? "", questions)[at] ?? "unknown";
  return said === null ? "unanswered" : { choice: null, free_text: said };
}

function settle(asked: Asked, question: Question, answer: Exclude<QuestionAnswer, "unasked">, record: LogRecord): void {
  const { decision } = asked;
  const given = typeof answer === "string" ? null : answer;
  asked.unknown_answer = answer === "unknown";
  decision.answered = answer !== "unanswered";
  decision.choice = given?.choice ?? null;
  decision.free_text = given?.free_text ?? null;
  decision.answered_line = decision.answered ? lineOf(record) : null;
  decision.followed_recommendation =
    given === null || question.recommended === null ? null : given.choice === question.recommended;
}
