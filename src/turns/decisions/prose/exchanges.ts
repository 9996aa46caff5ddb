import type { LogRecord, UserBody } from "../../../record/record.ts";
import { hashOf, oneLine, SUMMARY_LENGTH, type Option } from "../brief.ts";
import { lineOf } from "../model.ts";
import { decisionIn } from "./decides.ts";
import { sentencesOf, type AgentReply } from "./reply.ts";

/** A decision that was made in prose, with the record of the human's words. */
export interface ProseDecision {
  question_id: string;
  /** The agent's words; the human's own where he decided without being asked. */
  title: string;
  options: Option[];
  recommended: string | null;
  choice: string | null;
  free_text: string;
  asked_line: number | null;
  /** The turn that ended with the reply; null if nothing was asked. */
  asked_turn: string | null;
  answer: LogRecord;
}

interface Reply {
  text: string;
  line: number | null;
}

interface Prompt {
  record: LogRecord;
  body: UserBody;
}

const MOST_TEXT = 700;

/**
 * Pairs each typed prompt with the reply before it. Whatever becomes of the prompt's turn, it is the answer; only the
 * next prompt can be one.
 */
export class Exchanges {
  readonly #known: ReadonlyMap<string, string> | null;
  readonly #replies = new Map<string, Reply>();
  #prompts: Prompt[] = [];

  /** `known`: the final texts of all turns, where the records do not have them. */
  constructor(known: ReadonlyMap<string, string> | null) {
    this.#known = known;
  }

  reply({ turn_id: turn, ...record }: LogRecord, text: string): void {
    if (turn !== undefined && this.#known === null) this.#replies.set(turn, { text, line: lineOf(record) });
  }

  prompt(record: LogRecord, body: UserBody): void {
    this.#prompts.push({ record, body });
  }

  takeBack(messages: number): void {
    this.#prompts.length = Math.max(0, this.#prompts.length - messages);
  }

  rewind(from: number, path: string | undefined): void {
    const at = this.#prompts.findIndex(({ record }) => (lineOf(record) ?? 0) >= from && record.origin.path === path);
    if (at !== -1) this.#prompts.length = at;
  }

  decisions(): ProseDecision[] {
    return this.#prompts.flatMap((prompt, at) => (isTyped(prompt) ? (this.#decided(prompt, at) ?? []) : []));
  }

  #decided({ record, body }: Prompt, at: number): ProseDecision | null {
    const before = this.#before(at);
    const turn = before?.record.turn_id ?? null;
    const reply = turn === null ? null : this.#replyOf(turn);
    return decided(body.text, reply, turn, record);
  }

  #replyOf(turn: string): Reply | null {
    const text = this.#known?.get(turn);
    const reply = text === undefined ? this.#replies.get(turn) : { text, line: null };
    return reply && reply.text !== "" ? reply : null;
  }

  /** The prompt whose reply this one follows. What the agent's client does alone has no reply and is passed over. */
  #before(at: number): Prompt | null {
    const follows = this.#prompts[at]?.body.follows_line;
    if (follows === null) return null;
    if (follows !== undefined) return this.#prompts.find(({ record }) => lineOf(record) === follows) ?? null;
    return (
      this.#prompts
        .slice(0, at)
        .findLast(({ record, body }) => !isOfClient(body) || this.#replyOf(record.turn_id ?? "") !== null) ?? null
    );
  }
}

function isOfClient({ kind }: UserBody): boolean {
  return kind === "command" || kind === "shell";
}

function isTyped({ body }: Prompt): boolean {
  return !isOfClient(body) && body.entry !== "automated" && body.plan_answer === undefined;
}

/** What a prompt decides after a reply. */
function decided(text: string, before: Reply | null, turn: string | null, answer: LogRecord): ProseDecision | null {
  const found = decisionIn(text, before?.text ?? null);
  if (!found) return null;
  const { said, reply } = found;
  const isAsked = said.kind !== "rules" && reply !== null;
  const offered = said.kind === "picks" && reply ? reply.alternatives : [];
  const options = offered.map((one, at) => ({
    letter: one.label?.toUpperCase() ?? String.fromCodePoint(65 + at),
    label: oneLine(one.text, SUMMARY_LENGTH),
    recommended: at === reply?.recommended,
  }));
  const quote = isAsked
    ? askedIn(reply, said.kind === "picks" ? null : said.about)
    : ruleIn(text, said.kind === "rules" ? said.sentence : 0);
  const title = oneLine(quote, SUMMARY_LENGTH);
  const at = said.kind === "picks" ? said.at : null;
  return {
    question_id: `prose-${hashOf(title)}`,
    title,
    options,
    recommended: options.find((option) => option.recommended)?.label ?? null,
    choice: at === null ? null : (options[at]?.label ?? null),
    free_text: text.trim().slice(0, MOST_TEXT),
    asked_line: isAsked ? (before?.line ?? null) : null,
    asked_turn: isAsked ? turn : null,
    answer,
  };
}

function askedIn(reply: AgentReply, about: string | null): string {
  return about ?? reply.question ?? reply.sentences.at(-1) ?? reply.text;
}

function ruleIn(text: string, sentence: number): string {
  return sentencesOf(text.trim().split("\n"))[sentence] ?? text;
}

/** Whether a prompt decides something after a reply, for rows that are only extended. */
export function isDecision(prompt: string, reply: string | null): boolean {
  return decisionIn(prompt, reply) !== null;
}
