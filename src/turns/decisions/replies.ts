import type { LogRecord, PlanAnswer, UserBody } from "../../record/record.ts";
import { addressedParts, matchReply, type Reply } from "./answer.ts";
import type { Brief } from "./brief.ts";
import { lineOf, type Asked } from "./model.ts";
import { APPROVE, KEEP_PLANNING } from "./structured.ts";

export interface OpenBrief {
  asked: Asked;
  brief: Brief;
  turn: string | undefined;
}

interface Waiting extends OpenBrief {
  /** Number of human messages before it was asked. */
  after: number;
}

/** A plan that waits for the human's next message. */
type WaitingPlan = Pick<Waiting, "asked" | "after">;

interface Answered<T = Waiting> {
  waiting: T;
  /** Index of the human message that answered. */
  by: number;
}

/** For how many messages a short reply can still answer a brief: "what does B cost?" … "B". */
const MAX_MESSAGES_BETWEEN = 3;
const BARE = 80;

/** Tracks the briefs that wait for an answer, and matches the human's messages with them. */
export class OpenBriefs {
  #waiting: Waiting[] = [];
  #answered: Answered[] = [];
  #plan: WaitingPlan | null = null;
  #answeredPlans: Answered<WaitingPlan>[] = [];
  readonly #messages: { line: number | null; path: string | undefined }[] = [];

  open(brief: OpenBrief): void {
    const { ref, title } = brief.brief;
    // The brief was asked again: the earlier one stays unanswered and no longer waits.
    this.#waiting = this.#waiting.filter((old) => old.brief.ref !== ref || old.brief.title !== title);
    this.#waiting.push({ ...brief, after: this.#messages.length });
  }

  /** The same brief was opened since the last human message: the agent wrote one message twice. */
  isOpen(questionId: string, ref: string | null): boolean {
    return this.#waiting.some(
      (old) => this.#isFresh(old) && old.brief.ref === ref && old.asked.decision.question_id === questionId,
    );
  }

  /** Removes the turn's briefs that a tool call asks as well, and returns them. */
  withdraw(question: { question_id: string; title: string }, turn: string | undefined): Asked[] {
    const same = this.#waiting.filter(
      ({ asked: { decision }, brief, turn: asked }) =>
        asked === turn && (brief.marker === question.question_id || decision.title === question.title),
    );
    this.#waiting = this.#waiting.filter((old) => !same.includes(old));
    return same.map(({ asked }) => asked);
  }

  /** A plan shown later takes the place of one that nobody answered. */
  openPlan(asked: Asked): void {
    this.#plan = { asked, after: this.#messages.length };
  }

  /** Call it before the message is counted. Other than a brief, a plan is answered as the record says. */
  answerPlan(record: LogRecord, { plan_answer: answer, kind, text }: UserBody): void {
    const plan = this.#plan;
    if (plan === null || kind === "shell") return;
    this.#plan = null;
    if (answer === undefined) return;
    const { decision } = plan.asked;
    decision.answered = true;
    decision.answered_line = lineOf(record);
    decision.choice = PLAN_CHOICES[answer];
    // Not the human but the client wrote the text of a command.
    decision.free_text = kind === "command" ? null : text;
    this.#answeredPlans.push({ waiting: plan, by: this.#messages.length });
  }

  /** Counts a human message that cannot be an answer, such as a command. */
  countMessage(record: LogRecord): void {
    this.#messages.push({ line: lineOf(record), path: record.origin.path });
  }

  reply(record: LogRecord, text: string): void {
    const fresh = this.#waiting.filter((old) => this.#isFresh(old));
    const parts = addressedParts(text);
    for (const { ref, text: said } of parts) {
      const meant = this.#waiting.findLast((old) => old.brief.ref === ref);
      if (meant) this.#answer(meant, said, record);
    }
    // A reply that names briefs answers only those.
    if (parts.length === 0) {
      const [only, ...more] = fresh.length > 0 ? fresh : this.#patient(text);
      if (only && more.length === 0) this.#answer(only, text, record, fresh.length === 0);
    }
    this.countMessage(record);
  }

  /** The newest messages were taken back, and with them the answers they gave. */
  takeBack(messages: number): void {
    this.#cut(Math.max(0, this.#messages.length - messages));
  }

  rewind(from: number, path: string | undefined): void {
    const at = this.#messages.findIndex(({ line, path: in_ }) => line !== null && line >= from && in_ === path);
    if (at !== -1) this.#cut(at);
  }

  #cut(at: number): void {
    this.#messages.length = at;
    for (const { waiting } of this.#answered.filter(({ by }) => by >= at)) {
      reopen(waiting.asked);
      this.#waiting.push(waiting);
    }
    for (const { waiting } of this.#answeredPlans.filter(({ by }) => by >= at)) {
      reopen(waiting.asked);
      if (waiting.after <= at) this.#plan = waiting;
    }
    this.#answered = this.#answered.filter(({ by }) => by < at);
    this.#answeredPlans = this.#answeredPlans.filter(({ by }) => by < at);
    this.#waiting = this.#waiting.filter(({ after }) => after <= at);
    if (this.#plan !== null && this.#plan.after > at) this.#plan = null;
  }

  #isFresh(waiting: Waiting): boolean {
    return waiting.after === this.#messages.length;
  }

  #patient(text: string): Waiting[] {
    if (text.length > BARE) return [];
    return this.#waiting.filter(({ after }) => this.#messages.length - after <= MAX_MESSAGES_BETWEEN);
  }

  #answer(waiting: Waiting, said: string, record: LogRecord, late = false): void {
    const reply = matchReply(said, waiting.brief.options, waiting.brief.recommended);
    // Once the human has said something else, only a clear choice still counts as an answer.
    if (reply.kind === "unclear" || (late && reply.kind !== "option" && reply.kind !== "other")) return;
    settle(waiting, reply, lineOf(record));
    this.#waiting = this.#waiting.filter((old) => old !== waiting);
    this.#answered.push({ waiting, by: this.#messages.length });
  }
}

const PLAN_CHOICES: Readonly<Record<PlanAnswer, string | null>> = {
  approved: APPROVE,
  refused: KEEP_PLANNING,
  unclear: null,
};

function reopen({ decision }: Asked): void {
  Object.assign(decision, { choice: null, free_text: null, answered: false, answered_line: null });
  decision.followed_recommendation = null;
}

function settle(
  { asked: { decision }, brief }: Waiting,
  reply: Exclude<Reply, { kind: "unclear" }>,
  line: number | null,
): void {
  decision.answered = true;
  decision.answered_line = line;
  const { recommended } = brief;
  switch (reply.kind) {
    case "option":
      decision.choice = reply.option.label;
      decision.free_text = reply.remark;
      break;
    case "outside":
      decision.choice = reply.letter;
      break;
    case "other":
    case "words":
      decision.free_text = reply.text;
  }
  // A reply in free words may agree without saying so: only a choice, or "Other", shows whether the recommendation was
  // followed.
  const known = recommended !== null && reply.kind !== "words";
  decision.followed_recommendation = known ? decision.choice === recommended : null;
}
