import { join } from "node:path";
import { quoted } from "../base/text/quote.ts";
import type { Redactor } from "../base/redact/redact.ts";
import { plain } from "../base/text/inert.ts";
import type { LoadedProject } from "../answers/workspace/load.ts";
import { jsonText, writeAtomic } from "../answers/workspace/write.ts";
import type { Asker } from "./asker.ts";
import { batchTurns, turnText } from "./batches.ts";
import { chainProblems, withProofs, withoutInvalid } from "./checks/chain.ts";
import type { Problem } from "./checks/problem.ts";
import { turnFactsText } from "./facts.ts";
import { listIn, parseAnswer, schemaOf, parseShape } from "./given.ts";
import type { Step } from "./journal.ts";
import type { Chain, EvidenceCard, GivenChain } from "../views/narrative.ts";
import { answerRule, problemText, type Prompts } from "./prompts.ts";
import type { RejectedList } from "./rejected.ts";
import { chainShape } from "./shapes.ts";
import type { ToolProvider } from "./tool-provider.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** What all tasks of a narration share. */
export interface TaskContext {
  asker: Asker;
  prompts: Prompts;
  rejected: RejectedList;
  redactor: Redactor;
  attempts: number;
  step: Step;
  /** Provides tools to agents that can call them; null when answers are read from the agent's output. */
  tools: ToolProvider | null;
}

export interface EvidenceResult {
  card: EvidenceCard;
  /** Turns without a chain, and why. */
  gaps: Map<string, string>;
}

/** The evidence card of one session: a chain for every turn, or the reason why there is none. */
export async function evidenceCard(
  project: LoadedProject,
  session: string,
  turns: readonly TurnEvidence[],
  work: TaskContext,
): Promise<EvidenceResult> {
  const chains = new Map<string, Chain>();
  const gaps = new Map<string, string>();
  const card = (): EvidenceCard => ({
    schema_version: 1,
    project_key: project.key,
    session_ref: session,
    evidence_chains: turns.flatMap(({ turn_ref }) => chains.get(turn_ref) ?? []),
  });
  const write = (): void => {
    work.step("card");
    writeAtomic(join(project.path, "evidence", `${session}.json`), jsonText(card()));
  };
  for (const turn of turns) if (turn.lines.length === 0) gaps.set(turn.turn_ref, "nothing of it could be read");
  const readable = turns.filter(({ turn_ref }) => !gaps.has(turn_ref));
  for (const [i, batch] of batchTurns(readable).entries()) {
    const task = `evidence ${project.key}/${session} ${i + 1}`;
    await runBatch(task, { project: project.key, session }, batch, work, chains, gaps, write);
  }
  write();
  return { card: card(), gaps };
}

async function runBatch(
  task: string,
  about: { project: string; session: string },
  batch: readonly TurnEvidence[],
  work: TaskContext,
  chains: Map<string, Chain>,
  gaps: Map<string, string>,
  write: () => void,
): Promise<void> {
  const last = new Map<string, GivenChain>();
  const why = new Map<string, string>();
  let problems: Problem[] = [];
  for (let attempt = 1; attempt <= work.attempts; attempt++) {
    const pending = batch.filter(({ turn_ref }) => !chains.has(turn_ref));
    if (pending.length === 0) return;
    const text = await work.asker.ask(
      ...([task, attempt, promptFor(about, pending, problems, work)] as const),
      work.tools && {
        ...work.tools.evidence(about, pending),
        isEnough: (answer) => judgeChains(answer, pending, chains).accepted.length === pending.length,
      },
    );
    const seen = judgeChains(text, pending, chains, last);
    problems = seen.problems;
    work.rejected.add(task, attempt, problems, seen.answer);
    for (const { turn_ref } of pending) why.set(turn_ref, reasonFor(turn_ref, seen, work.attempts));
    for (const chain of seen.accepted) chains.set(chain.turn_ref, sanitize(chain, work.redactor));
    if (seen.accepted.length > 0) write();
  }
  // Keep the valid statements of answers that are not valid as a whole.
  for (const turn of batch) {
    if (chains.has(turn.turn_ref)) continue;
    const given = last.get(turn.turn_ref);
    const rest = given ? withoutInvalid(given, turn) : null;
    if (rest) chains.set(turn.turn_ref, sanitize(withProofs(rest, turn), work.redactor));
    else gaps.set(turn.turn_ref, why.get(turn.turn_ref) ?? "the agent wrote nothing about it");
  }
}

export interface ChainsVerdict {
  accepted: Chain[];
  problems: Problem[];
  answer: unknown;
}

/** Checks an answer and returns what is accepted. The paths of problems lead into the answer. */
export function judgeChains(
  text: string,
  pending: readonly TurnEvidence[],
  chains: ReadonlyMap<string, unknown>,
  last: Map<string, GivenChain> = new Map(),
): ChainsVerdict {
  const parsed = parseAnswer(text);
  if ("problem" in parsed) return { accepted: [], problems: [parsed.problem], answer: null };
  const list = listIn(parsed.value, "evidence_chains");
  if (!Array.isArray(list)) return { accepted: [], problems: [list], answer: parsed.value };
  const accepted = new Map<string, Chain>();
  const problems: Problem[] = [];
  const named = new Set<unknown>();
  for (const [i, one] of list.entries()) {
    const path = `evidence_chains[${i}]`;
    named.add((one as { turn_ref?: unknown } | null)?.turn_ref);
    const given = parseShape(chainShape, one, path);
    if ("problems" in given) {
      problems.push(...given.problems);
      continue;
    }
    const { turn_ref } = given.value;
    const turn = pending.find((known) => known.turn_ref === turn_ref);
    if (accepted.has(turn_ref) || chains.has(turn_ref))
      problems.push(wrongTurn(path, turn_ref, "turn.duplicate", "is written already"));
    else if (!turn) problems.push(wrongTurn(path, turn_ref, "turn.unknown", "is none of those that were asked for"));
    else {
      last.set(turn_ref, given.value);
      const found = chainProblems(given.value, turn);
      if (found.length === 0) accepted.set(turn_ref, withProofs(given.value, turn));
      else problems.push(...found.map((problem) => ({ ...problem, path: `${path}.${problem.path}` })));
    }
  }
  const missing = pending.filter(({ turn_ref }) => !named.has(turn_ref));
  for (const { turn_ref } of missing)
    problems.push(wrongTurn("evidence_chains", turn_ref, "turn.skipped", "has no evidence chain"));
  return { accepted: [...accepted.values()], problems, answer: parsed.value };
}

function wrongTurn(path: string, turn: string, rule: string, what: string): Problem {
  return {
    rule,
    path,
    message: `${turn.slice(0, 40)} ${what}`,
    hint: "write one chain for every turn that is asked for",
  };
}

function reasonFor(turn: string, { problems }: ChainsVerdict, attempts: number): string {
  const skipped = problems.some(({ rule, message }) => rule === "turn.skipped" && message.startsWith(`${turn} `));
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return skipped ? `the agent skipped it, asked ${times}` : `what the agent wrote was rejected, asked ${times}`;
}

/** Removes secrets and invisible characters. */
export function sanitize<T>(value: T, redactor: Redactor): T {
  return withPlainTexts(redactor.all(value)) as T;
}

function withPlainTexts(value: unknown): unknown {
  if (typeof value === "string") return plain(value);
  if (Array.isArray(value)) return value.map(withPlainTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withPlainTexts(held)]));
}

function promptFor(
  about: { project: string; session: string },
  turns: readonly TurnEvidence[],
  problems: readonly Problem[],
  { prompts, tools }: TaskContext,
): string {
  return prompts.text("evidence", {
    session: `Project ${about.project}, session ${about.session}:`,
    turns: turns.map(turnFactsText).join("\n"),
    answer: tools?.answerRule("evidence") ?? answerRule(schemaOf(chainShape, "evidence_chains")),
    problems: problemText(problems),
    transcript: tools ? "" : quoted(turns.map((turn) => turnText(turn)).join("\n\n")),
  });
}
