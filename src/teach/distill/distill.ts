import type { Asked } from "../../turns/decisions/model.ts";
import { appendLines } from "../../turns/decisions/question-log.ts";
import { DaybookError } from "../../base/errors.ts";
import { appendLine } from "../../base/io/append-line.ts";
import { changeJsonFile } from "../json-file.ts";
import { readRegistry } from "../registry.ts";
import { stateFile, type State } from "../state.ts";
import { freeAnswers, type FreeAnswer } from "./answers.ts";
import { distillHoles, type FillPrompt } from "./prompt.ts";
import { NO_ANSWER, proposalsIn, readProposals, type Proposal, type Rejected } from "./proposals.ts";
import { stampLines } from "./stamp.ts";

/** Sends a prompt to the agent that the user configured. */
export type Ask = (prompt: string) => Promise<{
  text: string;
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
}>;

export interface DistillInput {
  asked: readonly Asked[];
  state: State;
  slug: string;
  now: string;
  /** Fills the prompt, a file that people can edit. */
  fill: FillPrompt;
}

export interface DistillPlan {
  /** Why there is nothing to do; null when there is something. */
  code: "NO_LOG" | "NO_FREE_TEXT" | null;
  answers: FreeAnswer[];
  /** Left out, because they read like instructions. */
  hostile: FreeAnswer[];
  prompt: string;
}

export interface DistillResult {
  proposals: Proposal[];
  rejected: Rejected[];
  /** Number of requests. */
  requests: number;
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
  /** Every proposal was rejected: nothing was learned from the answers, so the next run uses them again. */
  kept: boolean;
}

/** Maximum number of answers per run; more are left for the next one. */
const MAX_ANSWERS = 200;

/** Plans the request. Writes nothing. */
export function planDistillation({ asked, state, slug, now, fill }: DistillInput): DistillPlan {
  const { isLogged, answers, hostile } = freeAnswers(asked, state, slug, now);
  const some = answers.slice(0, MAX_ANSWERS);
  const code = !isLogged ? "NO_LOG" : some.length === 0 ? "NO_FREE_TEXT" : null;
  return { code, answers: some, hostile, prompt: code === null ? fill(distillHoles(some), []) : "" };
}

/**
 * Asks, checks the reply, and asks again for what is invalid, `attempts` times in all. Stores the valid proposals
 * beside those still undecided, and only then stamps the answers, unless every proposal was rejected: a run that is
 * stopped in between is repeated and loses nothing.
 */
export async function distill(
  input: DistillInput,
  plan: DistillPlan,
  ask: Ask,
  attempts: number,
): Promise<DistillResult> {
  const { asked, state, slug, now } = input;
  const { isAnswer, ...done } = await collectProposals(input, plan, ask, attempts);
  const { proposals, rejected } = done;
  if (isAnswer) {
    changeJsonFile(stateFile.proposals(state, slug), (file) => {
      const open = readProposals(state, slug).filter((one) => one["applied_at"] === undefined);
      const known = new Set(open.map((one) => JSON.stringify(one)));
      file["generated_at"] = now;
      file["source_event_count"] = plan.answers.length;
      file["proposals"] = [...open, ...proposals.filter((one) => !known.has(JSON.stringify(one)))];
      file["rejected"] = rejected;
    });
    const path = stateFile.questionLog(state, slug);
    appendLines(path, freeAnswers(asked, state, slug, now).fresh);
    if (!done.kept) stampLines(path, new Set(plan.answers.map(({ raw }) => raw)), now);
  }
  // Failed runs have their cost, too.
  appendLine(stateFile.distillCost(state), {
    ts: now,
    slug,
    events: plan.answers.length,
    proposals_count: proposals.length,
    requests: done.requests,
    rejected_low_confidence: rejected.filter(({ path }) => path.endsWith(".confidence")).length,
    rejected_count: rejected.length,
    cost_usd_est: done.cost_usd,
    input_tokens: done.tokens?.input ?? null,
    output_tokens: done.tokens?.output ?? null,
  });
  if (!isAnswer)
    throw new DaybookError("the agent's reply is not the JSON it was asked for", {
      code: "unreadable",
      op: "distill",
      hint: "no proposal was written; try again, or another agent",
    });
  return done;
}

/** The valid proposals of all attempts, and what was rejected in the end. */
async function collectProposals(
  { state, fill }: DistillInput,
  plan: DistillPlan,
  ask: Ask,
  attempts: number,
): Promise<DistillResult & { isAnswer: boolean }> {
  const registry = readRegistry(state);
  const held = new Map<string, Proposal>();
  const final: Rejected[] = [];
  let open: Rejected[] = [];
  const done: DistillResult & { isAnswer: boolean } = {
    proposals: [],
    rejected: [],
    requests: 0,
    tokens: null,
    cost_usd: null,
    kept: false,
    isAnswer: false,
  };
  for (let attempt = 1; attempt <= attempts && (attempt === 1 || open.length > 0); attempt++) {
    const reply = await ask(attempt === 1 ? plan.prompt : fill(distillHoles(plan.answers), open));
    done.requests++;
    if (reply.cost_usd !== null) done.cost_usd = (done.cost_usd ?? 0) + reply.cost_usd;
    if (reply.tokens) {
      const { input, output } = done.tokens ?? { input: 0, output: 0 };
      done.tokens = { input: input + reply.tokens.input, output: output + reply.tokens.output };
    }
    const found = proposalsIn(reply.text, plan.answers, registry);
    open = found?.open ?? [NO_ANSWER];
    if (!found) continue;
    done.isAnswer = true;
    for (const one of found.proposals) held.set(JSON.stringify(one), one);
    final.push(...found.final);
  }
  const rejected = [...final, ...open];
  return { ...done, proposals: [...held.values()], rejected, kept: held.size === 0 && rejected.length > 0 };
}
