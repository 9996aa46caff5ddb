import type { Asked } from "../../decisions/model.ts";
import { appendLines } from "../../decisions/question-log.ts";
import { DaybookError } from "../../errors.ts";
import { appendLine } from "../append.ts";
import { changeJsonFile } from "../json-file.ts";
import { readRegistry } from "../registry.ts";
import { stateFile, type State } from "../state.ts";
import { freeAnswers, type FreeAnswer } from "./answers.ts";
import { distillPrompt } from "./prompt.ts";
import { proposalsIn, readProposals, type Proposal, type Rejected } from "./proposals.ts";
import { stampLines } from "./stamp.ts";

/** What answers a prompt: the agent the user configured. */
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
}

export interface DistillPlan {
  /** Why there is nothing to do. */
  code: "NO_LOG" | "NO_FREE_TEXT" | null;
  answers: FreeAnswer[];
  /** Left out, because they read like instructions. */
  hostile: FreeAnswer[];
  prompt: string;
}

export interface Distilled {
  proposals: Proposal[];
  rejected: Rejected[];
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
}

/** At once: more are left for the next time. */
const MOST = 200;

/** What would be asked. Writes nothing. */
export function planDistillation({ asked, state, slug, now }: DistillInput): DistillPlan {
  const { isLogged, answers, hostile } = freeAnswers(asked, state, slug, now);
  const some = answers.slice(0, MOST);
  const code = !isLogged ? "NO_LOG" : some.length === 0 ? "NO_FREE_TEXT" : null;
  return { code, answers: some, hostile, prompt: code === null ? distillPrompt(some) : "" };
}

/**
 * Asks, checks what comes back, keeps it beside what is still undecided, and only then stamps the answers: whoever is stopped in
 * between asks again, and loses nothing.
 */
export async function distill(input: DistillInput, plan: DistillPlan, ask: Ask): Promise<Distilled> {
  const { asked, state, slug, now } = input;
  const reply = await ask(plan.prompt);
  const found = proposalsIn(reply.text, plan.answers, readRegistry(state));
  if (found === null)
    throw new DaybookError("the agent's reply is not the JSON it was asked for", {
      ...{ code: "unreadable", op: "distill", hint: "nothing was written; try again, or another agent" },
    });
  const { proposals, rejected } = found;
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
  stampLines(path, new Set(plan.answers.map(({ raw }) => raw)), now);
  appendLine(stateFile.distillCost(state), {
    ...{ ts: now, slug, events: plan.answers.length, proposals_count: proposals.length },
    rejected_low_confidence: rejected.filter(({ reason }) => reason.startsWith("confidence")).length,
    ...{ rejected_count: rejected.length, cost_usd_est: reply.cost_usd },
    ...{ input_tokens: reply.tokens?.input ?? null, output_tokens: reply.tokens?.output ?? null },
  });
  return { proposals, rejected, tokens: reply.tokens, cost_usd: reply.cost_usd };
}
