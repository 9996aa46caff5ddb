import type { LogRecord } from "../format/record.ts";
import { addressedParts, matchReply, type Reply } from "./answer.ts";
import type { Brief } from "./brief.ts";
import { lineOf, type Asked } from "./model.ts";

export interface OpenBrief {
  asked: Asked;
  brief: Brief;
  turn: string | undefined;
}

interface Waiting extends OpenBrief {
  /** Number of human messages before it was asked. */
  after: number;
}

interface Answered {
  waiting: Waiting;
  /** Index of the human message that answered. */
  by: number;
}

/** For how many messages a short reply can still answer a brief: "what does B cost?" … "B". */
const PATIENCE = 3;
const BARE = 80;

/** Tracks the briefs that wait for an answer, and matches the human's messages with them. */
export class OpenBriefs {
  #waiting: Waiting[] = [];
  #answered: Answered[] = [];
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
    for (const { waiting, by } of this.#answered) {
      if (by < at) continue;
      const { decision } = waiting.asked;
      Object.assign(decision, { choice: null, free_text: null, answered: false, answered_line: null });
      decision.followed_recommendation = null;
      this.#waiting.push(waiting);
    }
    this.#answered = this.#answered.filter(({ by }) => by < at);
    this.#waiting = this.#waiting.filter(({ after }) => after <= at);
  }

  #isFresh(waiting: Waiting): boolean {
    return waiting.after === this.#messages.length;
  }

  #patient(text: string): Waiting[] {
    if (text.length > BARE) return [];
    return this.#waiting.filter(({ after }) => this.#messages.length - after <= PATIENCE);
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
