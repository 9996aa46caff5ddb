import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redact/redact.ts";
import { quoted } from "../../base/text/quote.ts";
import { acquireLock } from "../../record/write-lock.ts";
import { roughTokens } from "../../answers/digest/text.ts";
import type { DayDigest, DigestPart } from "../../answers/digest/model.ts";
import type { DayReview, ReviewPlan } from "../../views/day-review.ts";
import type { Agent } from "../agents/model.ts";
import { Asker } from "../asker.ts";
import { Budget, priceOf, type BudgetLimits } from "../budget.ts";
import { Journal, type Step } from "../journal.ts";
import { problemText, type Prompts } from "../prompts.ts";
import { judgeAnswer, type Judged } from "./judge.ts";
import { ANSWER_FORM } from "./shape.ts";

/** Tokens of an answer, before there is one: about a third of what it is about. */
const LEAST_ANSWER = 400;

export interface ReviewOptions {
  digest: DayDigest;
  agent: Agent;
  prompts: Prompts;
  redactor: Redactor;
  /** Inside Daybook's own folder: sessions of agents there are no work. Removed when the answer is in the book. */
  folder: string;
  attempts: number;
  limits: BudgetLimits;
  now: number;
  /** Ask again even if this very digest was read before. */
  force?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Called before every write: tests end the run there. */
  step?: Step | undefined;
  /** What is in the book about the day, looked up anew. */
  known: () => Promise<DayReview | null>;
  keep: (review: DayReview) => Promise<void>;
}

export interface ReviewResult {
  /** `kept`: this digest was read before, and nothing was asked. `empty`: there was nothing to read. */
  state: "asked" | "kept" | "empty";
  review: DayReview | null;
}

/** What would be sent, and what it would cost. */
export function planReview(
  digest: DayDigest,
  { prompts, model, known, now }: { prompts: Prompts; model: string | null; known: DayReview | null; now: number },
): ReviewPlan {
  const parts = partsOf(digest);
  const inputs = parts.map((part) => roughTokens(promptFor(part, prompts, [])));
  const outputs = parts.map(({ text }) => Math.max(LEAST_ANSWER, Math.ceil(roughTokens(text) / 3)));
  const [input, output] = [sum(inputs), sum(outputs)];
  return {
    day: digest.day,
    turns: digest.turns.length,
    requests: parts.length,
    input_tokens: input,
    output_tokens: output,
    cost_usd: priceOf(model, input, output, now),
    is_known: known?.digest === digest.hash,
    digest: parts.map(({ text }) => text),
  };
}

/**
 * Asks a model what a day left open, and keeps what the records do not contradict. The same digest is never sent twice:
 * its answer is in the book or, if the program was ended before it got there, in the journal.
 */
export async function reviewDay(options: ReviewOptions): Promise<ReviewResult> {
  const { digest, agent, folder, now, step = () => undefined } = options;
  const parts = partsOf(digest);
  if (parts.length === 0) return { state: "empty", review: null };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = acquireLock(`${folder}.lock`);
  try {
    // Somebody else may have asked while this one waited for its digest.
    const known = await options.known();
    if (known?.digest === digest.hash && options.force !== true) {
      rmSync(folder, { recursive: true, force: true });
      return { state: "kept", review: known };
    }
    const journal = new Journal(folder, step);
    const budget = new Budget(options.limits, agent.model, now);
    const asker = new Asker({ agent, journal, budget, cwd: folder, concurrency: 1, signal: options.signal });
    const judged: Judged[] = [];
    for (const [i, part] of parts.entries()) judged.push(await readPart(part, i + 1, asker, options));
    const { spent } = budget;
    const review: DayReview = {
      schema_version: 1,
      day: digest.day,
      timezone: digest.timezone,
      digest: digest.hash,
      model: asker.agent,
      time: new Date(now).toISOString(),
      requests: spent.requests,
      input_tokens: spent.input_tokens,
      output_tokens: spent.output_tokens,
      estimated: spent.estimated > 0,
      cost_usd: spent.cost_usd,
      ...options.redactor.all(merged(judged)),
    };
    step("keep");
    await options.keep(review);
    step("kept");
    rmSync(folder, { recursive: true, force: true });
    return { state: "asked", review };
  } finally {
    lock.release();
  }
}

/** Without the turns of a day there is nothing to ask. */
function partsOf({ turns, parts }: DayDigest): readonly DigestPart[] {
  return turns.length === 0 ? [] : parts;
}

async function readPart(
  part: DigestPart,
  number: number,
  asker: Asker,
  { prompts, redactor, digest, attempts, folder }: ReviewOptions,
): Promise<Judged> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const problems = attempt === 1 ? [] : [NO_ANSWER];
    const prompt = redactor.text(promptFor(part, prompts, problems));
    const judged = judgeAnswer(await asker.ask(`review ${digest.day} ${number}`, attempt, prompt), digest, part.turns);
    if (judged) return judged;
  }
  // The next run asks again instead of finding these answers.
  rmSync(folder, { recursive: true, force: true });
  throw new DaybookError(`${asker.agent} gave no answer that could be read`, {
    code: "unreadable",
    op: "review day",
    hint: "try again, or name another agent or model under [narrate] in config.toml",
  });
}

const NO_ANSWER = {
  rule: "answer.no_json",
  path: "answer",
  message: "it was no JSON object of this form",
  hint: "answer with one JSON object and nothing else",
};

function promptFor(part: DigestPart, prompts: Prompts, problems: Parameters<typeof problemText>[0]): string {
  return prompts.text("review", {
    answer: ANSWER_FORM,
    problems: problemText(problems),
    transcript: quoted(part.text),
  });
}

/** Of two requests of one day, the first that closes something counts. */
function merged(all: readonly Judged[]): Judged {
  const closed = new Map<string, Judged["closed"][number]>();
  for (const one of all.flatMap((judged) => judged.closed)) {
    const { id, session_id, turn_ref } = one.closes;
    const name = id ?? `${session_id}/${turn_ref}`;
    if (!closed.has(name)) closed.set(name, one);
  }
  return {
    opened: all.flatMap(({ opened }) => opened),
    closed: [...closed.values()],
    decided: all.flatMap(({ decided }) => decided),
    results: all.flatMap(({ results }) => results),
    refused: all.flatMap(({ refused }) => refused),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

/** Where the requests about a day are made. */
export function reviewFolder(home: string, day: string): string {
  return join(home, "work", `review-${day}`);
}
