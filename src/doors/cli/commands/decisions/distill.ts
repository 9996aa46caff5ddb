import { inside } from "../../../../answers/daybook.ts";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import type { DistillAnswer, DistillStatusAnswer } from "../../../../answers/json.ts";
import { agentOf } from "../../../../narrate/agents/agent.ts";
import type { AgentReply } from "../../../../narrate/agents/model.ts";
import { problemText, Prompts } from "../../../../narrate/prompts.ts";
import { DEFAULT_ATTEMPTS } from "../../../../narrate/settings.ts";
import { quoted } from "../../../../base/text/quote.ts";
import { applyProposal, openProposal } from "../../../../teach/distill/apply.ts";
import { distill, planDistillation, type DistillInput, type DistillPlan } from "../../../../teach/distill/distill.ts";
import { distillStatus } from "../../../../teach/distill/status.ts";
import { allowedWriter, slugHere, writableState, writerOf } from "../../teaching.ts";
import type { Io } from "../../io.ts";
import { printJson } from "../../json.ts";
import { oneLine, plain } from "../../../../base/text/inert.ts";
import { groupDigits, money, plural } from "../../../../base/text/units.ts";
import { wrapLines } from "../../layout.ts";
import { promptFolder } from "../../config.ts";
import { bookOf, openDaybook } from "../../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../../options.ts";
import { untilStopped } from "../../long-work.ts";
import { usageError } from "../../flags.ts";

interface Flags extends CommonFlags {
  dryRun?: boolean;
  status?: boolean;
  apply?: string;
  agent?: string;
  model?: string;
  writer?: string;
}

export function distillCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  commonFlags(decisions.command("distill"), ["limit", "since", "until", "session", "project", "sample"])
    .description("lessons from what you answered in your own words, proposed by your own agent, applied only by you")
    .option("--dry-run", "print what the agent would be asked; nothing is run or written")
    .option("--status", "list open proposals, and what was spent")
    .option("--apply <n>", "apply the proposal with this number; only at a terminal")
    .option("--agent <id>", "the agent to ask (default: [narrate] in config.toml)")
    .option("--model <name>", "the model to use")
    .option(
      "--writer <writer>",
      "with --apply: which of gstack's commands the person used, for the record: plan-tune or inline-user",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  daybook decisions distill --dry-run\n  daybook decisions distill\n  daybook decisions distill --status\n  daybook decisions distill --apply 0",
    )
    .action(async (flags: Flags) => {
      if ([flags.dryRun, flags.status, flags.apply !== undefined].filter(Boolean).length > 1)
        throw usageError("use only one of --dry-run, --status and --apply", "leave the others out");
      if (flags.apply !== undefined) await apply(io, flags.apply, flags);
      else if (flags.status === true) status(io, flags);
      else return exit(await run(io, flags));
      exit(0);
    });
}

async function run(io: Io, flags: Flags): Promise<number> {
  const state = writableState(io, flags);
  const slug = slugHere(io, state);
  const opened = openDaybook(io, flags);
  const asked = opened.hide(await inside(opened.daybook).asked());
  const input: DistillInput = { asked, state, slug, now: new Date(io.now).toISOString(), fill: fillerOf(io) };
  const plan = planDistillation(input);
  for (const { question_id } of plan.hostile)
    io.err(`daybook: left out an answer to ${plain(question_id)}: it reads like an instruction\n`);
  const nothing = { proposals: [], rejected: [], requests: 0, tokens: null, cost_usd: null, kept: false };
  const about = {
    schema_version: 1,
    project: slug,
    answers: plan.answers.length,
    left_out: plan.hostile.length,
  } as const;
  if (plan.code !== null) {
    if (flags.json === true) printJson(io, { ...about, code: plan.code, ...nothing } satisfies DistillAnswer);
    else io.out(`${plan.code}: ${NOTHING[plan.code]} ${slug}\n`);
    return opened.done();
  }
  if (flags.dryRun === true) {
    if (flags.json === true) printJson(io, { ...about, code: "DRY_RUN", ...nothing } satisfies DistillAnswer);
    else io.out(plan.prompt);
    return opened.done();
  }
  const done = await distilled(io, flags, input, plan);
  const code = await opened.done();
  if (flags.json === true) {
    printJson(io, { ...about, code: "DISTILL_COMPLETE", ...done } satisfies DistillAnswer);
    return code;
  }
  for (const { index, reason } of done.rejected)
    io.err(`daybook: ${index === null ? "an answer" : `proposal ${index}`} was rejected: ${reason}\n`);
  if (done.kept) io.err("daybook: every proposal was rejected; the answers are kept for the next run\n");
  const spent = done.cost_usd === null ? "" : `, ${money(done.cost_usd)}`;
  io.out(
    `DISTILL_COMPLETE: ${plural(done.proposals.length, "proposal")} from ${plural(plan.answers.length, "answer")}${spent}\n`,
  );
  status(io, flags);
  return code;
}

/** Fills the prompt template: the user's own if there is one, otherwise the bundled one. */
function fillerOf(io: Io): DistillInput["fill"] {
  const prompts = new Prompts(promptFolder(io.env), io.config?.narrate?.language ?? null);
  return (holes, problems) =>
    prompts.text("distill", {
      ...holes,
      transcript: quoted(holes.transcript),
      problems: problemText(problems.map(({ path, reason, hint }) => ({ rule: "", path, message: reason, hint }))),
    });
}

const NOTHING = { NO_LOG: "nothing was asked or noted in", NO_FREE_TEXT: "no new free-text answers in" };

async function distilled(io: Io, flags: Flags, input: DistillInput, plan: DistillPlan): ReturnType<typeof distill> {
  const { agent: _, command: __, endpoint: ___, ...rest } = io.config?.narrate ?? {};
  const settings = flags.agent === undefined ? (io.config?.narrate ?? {}) : { ...rest, agent: flags.agent };
  const agent = agentOf({ ...settings, ...(flags.model === undefined ? {} : { model: flags.model }) }, io.env);
  if (agent === null)
    throw usageError(
      "no agent is configured",
      '[narrate] agent = "…" or command = ["…"] in config.toml, or --agent ID; --dry-run shows what it would be asked',
    );
  // The agent runs inside Daybook's own folder, so that the session it creates is recognised as Daybook's own.
  const book = bookOf(io, flags);
  const cwd = book === undefined ? mkdtempSync(join(tmpdir(), "daybook-distill-")) : join(book, "work", "distill");
  mkdirSync(cwd, { recursive: true, mode: 0o700 });
  try {
    const ask = async (prompt: string): Promise<AgentReply> =>
      untilStopped(async (signal) => agent.ask({ prompt, cwd, signal }));
    return await distill(input, plan, ask, io.config?.narrate?.attempts ?? DEFAULT_ATTEMPTS);
  } finally {
    if (book === undefined) rmSync(cwd, { recursive: true, force: true });
  }
}

function status(io: Io, flags: Flags): void {
  const state = writableState(io, flags);
  const slug = slugHere(io, state);
  const answer: DistillStatusAnswer = { schema_version: 1, project: slug, ...distillStatus(state, slug) };
  if (flags.json === true) return printJson(io, answer);
  const { zone } = openDaybook(io, flags).daybook;
  const { runs, last_run: last, cost_usd: cost, proposals } = answer;
  const spent = cost === null ? "" : `, ${money(cost)}`;
  io.out(
    last === null
      ? `${slug}: never distilled\n`
      : `${slug}: ${plural(runs, "run")}${spent}, the last ${zone.day(Date.parse(last))}\n`,
  );
  for (const { index, kind, text, quotes, applied_at } of proposals) {
    const state = applied_at === null ? "" : ` (applied ${zone.day(Date.parse(applied_at))})`;
    io.out(`\n[${index}] ${kind}${state}\n`);
    for (const line of wrapLines(text, io.columns - 4)) io.out(`    ${line}\n`);
    for (const quote of quotes) io.out(`    “${oneLine(quote, io.columns - 6)}”\n`);
  }
  const open = proposals.filter(({ applied_at }) => applied_at === null).length;
  if (open > 0) io.out(`\n${groupDigits(open)} to decide: daybook decisions distill --apply N\n`);
}

async function apply(io: Io, given: string, flags: Flags): Promise<void> {
  const writer = writerOf(flags.writer);
  if (!/^\d{1,6}$/.test(given))
    throw usageError(`--apply takes the number of a proposal, not ${given}`, "daybook decisions distill --status");
  const index = Number(given);
  const state = writableState(io, flags);
  const slug = slugHere(io, state);
  openProposal(state, slug, index);
  const text = distillStatus(state, slug).proposals[index]?.text ?? "";
  const by = await allowedWriter(io, writer, `Apply ${plain(text)}?`);
  if (by === null) return;
  const said = applyProposal(state, slug, index, by, new Date(io.now).toISOString());
  io.out(`Applied: ${plain(said)}\n`);
}
