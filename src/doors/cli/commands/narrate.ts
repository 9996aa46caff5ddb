import { inside } from "../../../answers/daybook.ts";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DaybookError, messageOf } from "../../../base/errors.ts";
import { homeDirectoryFor } from "../../../base/home.ts";
import type { NarrateAnswer, NarrateWeekAnswer } from "../../../answers/json.ts";
import type { NarrationSpent } from "../../../views/narrative.ts";
import { agentOf } from "../../../narrate/agents/agent.ts";
import type { Agent, AgentSettings } from "../../../narrate/agents/model.ts";
import { NarrationStopped } from "../../../narrate/asker.ts";
import { addSpent } from "../../../narrate/budget.ts";
import { narrateDay, type NarrateOptions } from "../../../narrate/narrate.ts";
import type { Journal } from "../../../narrate/journal.ts";
import { planNarration } from "../../../narrate/plan.ts";
import { Prompts, writePrompts } from "../../../narrate/prompts.ts";
import { DEFAULT_ATTEMPTS, type NarrateSettings } from "../../../narrate/settings.ts";
import { createToolProvider } from "../../../narrate/tools/mcp-tool-provider.ts";
import { narrateWeek, type WeekResult } from "../../../narrate/week.ts";
import { addDays, weekOf } from "../../../base/time/zone.ts";
import { renderMarkdown } from "../../../render/markdown.ts";
import { renderSummary } from "../../../render/summary.ts";
import { noteOwnPlace } from "../../../answers/workspace/own-places.ts";
import type { LoadedWorkspace } from "../../../answers/workspace/load.ts";
import { prepareWorkspace, type Prepared } from "../../../answers/workspace/prepare.ts";
import { resolveTarget } from "../../../answers/workspace/window.ts";
import { configPath, promptFolder } from "../config.ts";
import { programOf } from "../config-change.ts";
import { printDocument, type Io } from "../io.ts";
import { printJson } from "../json.ts";
import { bookOf, openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { positive, type Register, unknownValueError, usageError } from "../flags.ts";
import { untilStopped } from "../long-work.ts";
import { plain } from "../../../base/text/inert.ts";
import { groupDigits, plural } from "../../../base/text/units.ts";
import {
  requestedDay,
  homeOf,
  outputFlags,
  rootFlags,
  targetFlags,
  userHome,
  zoneOf,
  type TargetFlags,
} from "../workspace-flags.ts";

const FORMATS = ["markdown", "html", "json"] as const;
type Format = (typeof FORMATS)[number];

interface Flags extends TargetFlags, AgentFlags {
  root?: string[];
  source?: string[];
  out?: string;
  force?: boolean;
  week?: boolean;
  dryRun?: boolean;
  format?: string;
  open?: boolean;
  writePrompts?: boolean;
  tools?: boolean;
}

export const narrate: Register = (program, io, exit) => {
  outputFlags(rootFlags(targetFlags(program.command("narrate"))))
    .description("the narrative of a day, written by your own agent and checked against the records")
    .option("--week", "each day with work of that week, and one narrative of the whole week")
    .option("--dry-run", "what would be asked and what it would cost; nothing is run")
    .option("--agent <id>", "the agent that writes (default: [narrate] in config.toml)")
    .option("--model <name>", "the model to use")
    .option("--language <tag>", "the language of the texts, such as de (default: that of the requests)")
    .option("--concurrency <n>", "concurrent model calls (default: 2)")
    .option("--budget <limit>", "stop before this is exceeded: dollars (2.50) or tokens (200000t)")
    .option("--attempts <n>", "attempts per model call (default: 3)")
    .option("--out <dir>", "the workspace (default: work/<date> in Daybook's own folder)")
    .option("--force", "rebuild the workspace, and ask for everything again")
    .option("--no-tools", "let the agent answer in one JSON text, even if it could use tools")
    .option("--format <format>", `print the narrative: ${FORMATS.join(" | ")}`)
    .option("--open", "open the written page")
    .option("--write-prompts", "copy the prompts next to config.toml for editing; existing files stay")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook narrate --dry-run\n  daybook narrate --date yesterday --open\n  daybook narrate --date 2026-05-12 --language de --budget 2.50",
    )
    .action(async (flags: Flags) => {
      const prompts = promptFolder(io.env);
      if (flags.writePrompts === true) {
        const folder = prompts ?? homeDirectoryFor("the prompts", io.env, "name a file with $DAYBOOK_CONFIG");
        printWritten(io, writePrompts(folder), folder);
        return exit(0);
      }
      const format = formatOf(flags);
      const settings = settingsOf(io, flags);
      const agent = agentOf(settings, io.env);
      const opened = openFor(io, flags);
      if (agent === null && flags.dryRun !== true) return exit(await withoutAgent(io, flags, opened));
      const wants: NarrateRequest = { flags, settings, format, prompts };
      if (flags.week === true) return exit(await week(io, wants, opened, agent));
      if (flags.dryRun === true || agent === null) {
        const answer = await planAnswer(io, wants, opened);
        if (format === "json") printJson(io, answer);
        else printPlan(io, answer, settings);
        return exit(0);
      }
      const { code, answer } = await narrateOneDay(io, wants, opened, agent);
      print(io, answer, format);
      if (flags.open === true && answer.state === "written") openPage(io, join(answer.workspace, "report.html"));
      exit(code);
    });
};

interface NarrateRequest {
  flags: Flags;
  settings: NarrateSettings;
  format: Format | null;
  /** The folder of the user's own prompts, if there can be one. */
  prompts: string | null;
}

/** Narrates each day with work as if it were asked for alone, then the week over them. JSON output is one document. */
async function week(io: Io, wants: NarrateRequest, opened: OpenedDaybook, agent: Agent | null): Promise<number> {
  const { flags, settings, prompts, format } = wants;
  if (flags.out !== undefined)
    throw usageError("--week cannot be combined with --out: each day has its own workspace", "leave one of them out");
  const { date } = resolveTarget(requestedDay(flags), zoneOf(io, flags), io.now);
  const since = weekOf(date);
  const until = addDays(since, 6);
  const days = [...(await inside(opened.daybook).turnDays({ since, until })).keys()].toSorted();
  const answer: NarrateWeekAnswer = { ...EMPTY_WEEK, since, until, days: [] };
  let left = settings;
  for (const day of days) {
    const { today: _, open: __, ...rest } = flags;
    const one: NarrateRequest = { ...wants, settings: left, flags: { ...rest, date: day } };
    if (flags.dryRun === true || agent === null) {
      const planned = await planAnswer(io, one, opened);
      answer.days.push(planned);
      if (format === null) printPlan(io, planned, settings);
      continue;
    }
    const done = await narrateOneDay(io, one, opened, agent);
    answer.days.push(done.answer);
    answer.spent = addSpent(answer.spent, done.answer.spent);
    // Whatever stopped one day would stop the next as well.
    if (done.answer.state === "stopped") {
      printJson(io, { ...answer, state: "stopped", why: done.answer.why } satisfies NarrateWeekAnswer);
      return done.code;
    }
    if (format === null) printDay(io, done.answer);
    if (done.answer.spent) left = remainingBudget(left, done.answer.spent);
  }
  if (flags.dryRun === true || agent === null) {
    if (format === "json") printJson(io, { ...answer, state: "planned" } satisfies NarrateWeekAnswer);
    return 0;
  }
  const show = flags.quiet === true ? null : progressOf(io);
  const folder = join(homeOf(io, flags), "work", `week-${since}`);
  let done: WeekResult;
  try {
    done = await untilStopped(async (signal) =>
      narrateWeek({
        folder,
        since,
        until,
        days: answer.days.map(({ workspace }) => workspace),
        ...sharedOptions(io, left, prompts, opened, agent),
        signal,
        onRequest: (task, state) => show?.tick(task, state),
      }),
    );
  } catch (error) {
    show?.clear();
    if (!(error instanceof NarrationStopped) || format !== "json") throw error;
    printJson(io, { ...answer, state: "stopped", why: messageOf(error) } satisfies NarrateWeekAnswer);
    return stoppedCode(error);
  }
  show?.clear();
  const { report, rejected, spent, files } = done;
  if (format === "json")
    printJson(io, {
      ...answer,
      report,
      rejected,
      spent: addSpent(answer.spent, spent),
      files,
    } satisfies NarrateWeekAnswer);
  else if (format !== null) printWrittenFile(io, folder, format);
  else {
    for (const path of files) io.out(`${plain(path)}\n`);
    io.out(`  ${plural(report.days.length, "day")}, ${plural(report.threads.length, "thread")}, ${spentText(spent)}\n`);
  }
  if (flags.open === true) openPage(io, join(folder, "report.html"));
  return opened.done();
}

const EMPTY_WEEK: NarrateWeekAnswer = {
  schema_version: 1,
  since: "",
  until: "",
  state: "written",
  why: null,
  days: [],
  report: null,
  rejected: [],
  spent: null,
  files: [],
};

/** The budget that is left for the rest of the week. */
function remainingBudget(
  settings: NarrateSettings,
  { input_tokens, output_tokens, cost_usd }: NarrationSpent,
): NarrateSettings {
  const { budget_usd: usd, budget_tokens: tokens } = settings;
  return {
    ...settings,
    ...(usd === undefined ? {} : { budget_usd: usd - (cost_usd ?? 0) }),
    ...(tokens === undefined ? {} : { budget_tokens: tokens - input_tokens - output_tokens }),
  };
}

/** Options shared by the narration of a day and of a week. */
function sharedOptions(
  io: Io,
  settings: NarrateSettings,
  prompts: string | null,
  opened: OpenedDaybook,
  agent: Agent,
): Pick<NarrateOptions, "agent" | "redactor" | "now" | "prompts" | "attempts" | "concurrency" | "limits"> {
  return {
    agent,
    redactor: opened.daybook.redactor,
    now: io.now,
    prompts: new Prompts(prompts, settings.language ?? null),
    attempts: settings.attempts ?? DEFAULT_ATTEMPTS,
    concurrency: settings.concurrency ?? CONCURRENCY,
    limits: { usd: settings.budget_usd ?? null, tokens: settings.budget_tokens ?? null },
  };
}

function printWritten(io: Io, paths: readonly string[], folder: string): void {
  for (const path of paths) io.out(`${plain(path)}\n`);
  if (paths.length === 0) io.err(`daybook: all prompts are in ${plain(folder)} already\n`);
}

function openFor(io: Io, flags: Flags): OpenedDaybook {
  const zone = zoneOf(io, flags);
  const book = flags.sample === true ? undefined : bookOf(io, flags);
  const withBook = book !== undefined && existsSync(join(book, "book")) ? book : undefined;
  return openDaybook(io, { ...flags, timezone: zone.name }, { book: withBook });
}

/** The workspace of the day: the existing one, or a new one as `prepare` would make it. */
async function workspaceOf(io: Io, { flags }: NarrateRequest, opened: OpenedDaybook, out?: string): Promise<Prepared> {
  const home = homeOf(io, flags);
  return prepareWorkspace(inside(opened.daybook), {
    ...requestedDay(flags),
    now: io.now,
    home,
    out: out ?? flags.out,
    force: flags.force,
    again: (date) => `daybook narrate --date ${date} --force`,
  });
}

async function planAnswer(io: Io, wants: NarrateRequest, opened: OpenedDaybook): Promise<NarrateAnswer> {
  const { flags, settings } = wants;
  // An existing workspace is read in place; otherwise a temporary one is made.
  const { workspace, aside } = await planPlace(io, wants, opened);
  try {
    const { model, attempts = DEFAULT_ATTEMPTS } = settings;
    const redactor = opened.daybook.redactor;
    const plan = await planNarration(workspace, { model: model ?? null, attempts, redactor, now: io.now });
    const place = flags.out === undefined ? join(homeOf(io, flags), "work", plan.report_date) : resolve(flags.out);
    return { ...EMPTY_ANSWER, workspace: place, state: "planned", plan };
  } finally {
    if (aside !== null) rmSync(aside, { recursive: true, force: true });
  }
}

async function planPlace(
  io: Io,
  wants: NarrateRequest,
  opened: OpenedDaybook,
): Promise<{ workspace: string; aside: string | null }> {
  const { flags } = wants;
  const { date } = resolveTarget(requestedDay(flags), zoneOf(io, flags), io.now);
  const there = flags.out === undefined ? join(homeOf(io, flags), "work", date) : resolve(flags.out);
  if (existsSync(join(there, "metadata.json")) && flags.force !== true)
    return { workspace: (await workspaceOf(io, wants, opened)).workspace, aside: null };
  const aside = mkdtempSync(join(tmpdir(), "daybook-plan-"));
  const made = await prepareWorkspace(inside(opened.daybook), { ...requestedDay(flags), now: io.now, home: aside });
  return { workspace: made.workspace, aside };
}

const CONCURRENCY = 2;

const EMPTY_ANSWER: NarrateAnswer = {
  schema_version: 1,
  workspace: "",
  state: "written",
  why: null,
  plan: null,
  report: null,
  rejected: [],
  spent: null,
  files: [],
};

/** Narrates one day. With `--json` a narration that was stopped is an answer; otherwise it is thrown as an error. */
async function narrateOneDay(
  io: Io,
  wants: NarrateRequest,
  opened: OpenedDaybook,
  agent: Agent,
): Promise<{ code: number; answer: NarrateAnswer }> {
  const { flags, settings, format, prompts } = wants;
  const { workspace } = await workspaceOf(io, wants, opened);
  const code = await opened.done();
  // The sessions in which the agent writes do not count as work of a later day. A plain command leaves none, so for
  // the samples nothing is noted in the user's own folder.
  if (agent.callsTools || flags.sample !== true) noteOwnPlace(userHome(io, flags), workspace, io.now);
  const show = flags.quiet === true ? null : progressOf(io);
  try {
    const { report, rejected, spent, files } = await untilStopped(async (signal) =>
      narrateDay({
        ...sharedOptions(io, settings, prompts, opened, agent),
        workspace,
        signal,
        ...(flags.tools === false
          ? {}
          : {
              tools: (loaded: LoadedWorkspace, journal: Journal) => createToolProvider(programOf(io), loaded, journal),
            }),
        onRequest: (task, state) => show?.tick(task, state),
      }),
    );
    return { code, answer: { ...EMPTY_ANSWER, workspace, state: "written", report, rejected, spent, files } };
  } catch (error) {
    if (!(error instanceof NarrationStopped) || format !== "json") throw error;
    const answer: NarrateAnswer = { ...EMPTY_ANSWER, workspace, state: "stopped", why: messageOf(error) };
    return { code: stoppedCode(error), answer };
  } finally {
    show?.clear();
  }
}

function stoppedCode({ code }: NarrationStopped): number {
  return code === "stopped" ? 130 : 1;
}

function print(io: Io, answer: NarrateAnswer, format: Format | null): void {
  if (format === "json") printJson(io, answer);
  else if (format !== null) printWrittenFile(io, answer.workspace, format);
  else printDay(io, answer);
}

function printWrittenFile(io: Io, folder: string, format: Format): void {
  printDocument(io, readFileSync(join(folder, format === "html" ? "report.html" : "report.md"), "utf8"));
}

function printDay(io: Io, { workspace, report, rejected, spent }: NarrateAnswer): void {
  if (!report || !spent) return;
  const items = report.projects.flatMap(({ work_items }) => work_items);
  const pieces = items.filter(({ kind }) => kind === "material_work_item").length;
  io.out(`${plain(join(workspace, "report.md"))}\n`);
  io.out(`${plain(join(workspace, "report.html"))}\n`);
  io.out(`  ${report.title ? plain(report.title.text) : "untitled"}\n`);
  io.out(
    `  ${plural(report.projects.length, "project")}, ${plural(pieces, "piece")} of work, confidence ${report.overall_confidence ?? "n/a"}\n`,
  );
  io.out(`  ${spentText(spent)}\n`);
  if (report.left_out.length > 0)
    io.out(`  ${plural(report.left_out.length, "request")} left out, named in the report\n`);
  if (rejected.length > 0)
    io.out(
      `  ${plural(rejected.length, "statement")} rejected: ${plain(join(workspace, "narration", "rejected.jsonl"))}\n`,
    );
}

function spentText({ requests, estimated, reckoned, cost_usd, unpriced, ...spent }: NarrationSpent): string {
  const tokens = about(estimated, `${groupDigits(spent.input_tokens + spent.output_tokens)} tokens`);
  const known = `$${(cost_usd ?? 0).toFixed(2)}${unpriced > 0 ? "+" : ""}`;
  const cost = cost_usd === null ? "cost unknown" : about(reckoned, known);
  return requests === 0 ? "no model call was needed" : `${plural(requests, "model call")}, ${tokens}, ${cost}`;
}

function about(isAbout: number, text: string): string {
  return isAbout > 0 ? `about ${text}` : text;
}

/** A single updated line on a terminal, otherwise one log line per request. */
function progressOf(io: Io): { tick(task: string, state: "sent" | "answered" | "kept"): void; clear(): void } {
  const counts = { sent: 0, answered: 0, kept: 0 };
  return {
    tick(task, state) {
      counts[state]++;
      if (state === "kept") return;
      if (!io.errIsTerminal) return io.err(`daybook: ${state} ${plain(task)}\n`);
      const kept = counts.kept > 0 ? `, ${counts.kept} kept` : "";
      io.err(`\r\u001b[K${counts.answered}/${counts.sent} answered${kept}  ${plain(task).slice(0, io.columns - 34)}`);
    },
    clear() {
      if (io.errIsTerminal) io.err("\r\u001b[K");
    },
  };
}

function printPlan(io: Io, { plan, workspace }: NarrateAnswer, settings: AgentSettings): void {
  if (!plan) return;
  const { requests, tokens, cost_usd: cost } = plan;
  const who = settings.agent ?? settings.command?.[0] ?? settings.endpoint?.url ?? "none: no agent is configured";
  const lines = [
    plain(workspace),
    `  ${plan.report_date}: ${plural(plan.projects, "project")}, ${plural(plan.sessions, "session")}, ${plural(plan.turns, "request")}`,
    `  writer    ${plain(who)}`,
    `  calls     ${range(requests.least, requests.most)}`,
    `  tokens    about ${range(tokens.least, tokens.most)}`,
    `  cost      ${cost === null ? `unknown: ${plain(plan.cost_note ?? "")}` : range(cost.least, cost.most, dollars)}`,
    `  would write ${plural(plan.files.length, "file")}:`,
    ...plan.files.map((file) => `    ${plain(file)}`),
  ];
  io.out(`${lines.join("\n")}\n`);
}

/** Without an agent: print the day report made from the records. */
async function withoutAgent(io: Io, flags: Flags, opened: OpenedDaybook): Promise<number> {
  const { date } = resolveTarget(requestedDay(flags), zoneOf(io, flags), io.now);
  const report = await opened.daybook.report({ date, week: flags.week === true });
  const code = await opened.done();
  if (flags.quiet !== true)
    io.err(
      `daybook: no agent is configured for narratives; showing the day report. Set agent, command or endpoint under [narrate] in ${plain(configPath(io.env) ?? "config.toml")}\n`,
    );
  if (flags.json === true) printJson(io, report);
  else if (flags.format === undefined && io.outIsTerminal)
    io.out(renderSummary(report, opened.paint, io.columns, io.rows));
  else printDocument(io, renderMarkdown(report));
  return code;
}

/** Flags that say which agent is asked, and how. */
export interface AgentFlags {
  agent?: string;
  model?: string;
  language?: string;
  concurrency?: string;
  attempts?: string;
  budget?: string;
}

/** `[narrate]` in `config.toml`, and what flags say instead. */
export function settingsOf(io: Io, flags: AgentFlags): NarrateSettings {
  const given = io.config?.narrate ?? {};
  const { agent, model, language, concurrency, attempts } = flags;
  // An agent named by a flag replaces the agent, command or endpoint of config.toml, including its model.
  const { command: _, endpoint: __, agent: ___, model: ____, ...rest } = given;
  const base: NarrateSettings = agent === undefined ? given : { ...rest, agent };
  return {
    ...base,
    ...(model === undefined ? {} : { model }),
    ...(language === undefined ? {} : { language }),
    ...(concurrency === undefined ? {} : { concurrency: positive(concurrency, "--concurrency") }),
    ...(attempts === undefined ? {} : { attempts: positive(attempts, "--attempts") }),
    ...(flags.budget === undefined ? {} : budgetOf(flags.budget)),
  };
}

function budgetOf(text: string): Pick<NarrateSettings, "budget_usd" | "budget_tokens"> {
  const [, dollars, tokens] = /^(?:\$?(\d+(?:\.\d+)?)|(\d+)t)$/.exec(text.trim()) ?? [];
  if (tokens !== undefined && Number(tokens) > 0) return { budget_tokens: Number(tokens) };
  if (dollars !== undefined && Number(dollars) > 0) return { budget_usd: Number(dollars) };
  throw usageError(`--budget takes dollars (2.50) or tokens (200000t), not ${text}`, "daybook narrate --help");
}

function formatOf({ format, json }: Flags): Format | null {
  const wanted = format ?? (json === true ? "json" : undefined);
  if (wanted === undefined) return null;
  const known = FORMATS.find((name) => name === wanted);
  if (known === undefined) throw unknownValueError("format", wanted, FORMATS);
  if (json === true && known !== "json")
    throw usageError(`--json cannot be combined with --format ${known}`, "leave one of them out");
  return known;
}

function openPage(io: Io, path: string): void {
  if (!io.open)
    throw new DaybookError("--open: no program found that opens files", { code: "usage", op: "open", hint: path });
  io.open(path);
}

function range(least: number, most: number, show: (n: number) => string = groupDigits): string {
  return least === most ? show(least) : `${show(least)} to ${show(most)}`;
}

function dollars(n: number): string {
  return `$${n.toFixed(2)}`;
}
