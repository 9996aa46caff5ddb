import type { DaybookError } from "../../../base/errors.ts";
import { groupDigits, money, plural } from "../../../base/text/units.ts";
import { inside, type Daybook } from "../../../answers/daybook.ts";
import { noBookForReviewsError } from "../../../answers/answer-context.ts";
import { resolveSpan } from "../../../answers/report/window.ts";
import type { ReviewAnswer, ReviewedDay } from "../../../answers/json.ts";
import type { DayReview, ReadPoint, ReviewPlan } from "../../../views/day-review.ts";
import { agentOf } from "../../../narrate/agents/agent.ts";
import type { Agent } from "../../../narrate/agents/model.ts";
import { Prompts } from "../../../narrate/prompts.ts";
import { planReview, reviewDay, reviewFolder, type ReviewResult } from "../../../narrate/review/review-day.ts";
import { DEFAULT_ATTEMPTS, type NarrateSettings } from "../../../narrate/settings.ts";
import { promptFolder } from "../config.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import { settingsOf, type AgentFlags } from "./narrate.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { untilStopped } from "../long-work.ts";
import { plain } from "../../../base/text/inert.ts";
import { type Register, usageError } from "../flags.ts";

interface Flags extends CommonFlags, AgentFlags {
  date?: string;
  week?: boolean;
  dryRun?: boolean;
  force?: boolean;
}

export const review: Register = (program, io, exit) => {
  commonFlags(program.command("review"), ["project", "session", "since", "until", "limit", "redact", "sample"])
    .description(
      "your own model reads a day once: what is open, closed, decided; what the records contradict is refused",
    )
    .option("--date <day>", "the day (default: the last day with work that is over)")
    .option("--week", "each day with work of that week that is over")
    .option("--dry-run", "what would be sent and what it would cost; nothing is asked")
    .option("--agent <id>", "the agent that reads (default: [narrate] in config.toml)")
    .option("--model <name>", "the model to use")
    .option("--language <tag>", "the language of the reasons, such as de (default: that of the requests)")
    .option("--budget <limit>", "stop before this is exceeded: dollars (0.50) or tokens (20000t)")
    .option("--force", "ask again, even if nothing changed")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook review --dry-run\n  daybook review --date yesterday\n  daybook review --week",
    )
    .action(async (flags: Flags) => {
      const settings = settingsOf(io, flags);
      const agent = agentOf(settings, io.env);
      const opened = openDaybook(io, flags);
      const days = await daysOf(opened, flags, io.now);
      const isPlan = flags.dryRun === true;
      if (!isPlan && agent === null) throw noAgentError();
      if (!isPlan && opened.book === null) throw noBookForReviewsError();
      const dayOf = async (day: string): Promise<ReviewedDay> => {
        if (isPlan || agent === null) return planned(io, opened, day, settings);
        const { daybook, book } = opened;
        const wish = { io, daybook, book: book ?? "", day, settings, agent, now: io.now, force: flags.force };
        const { state, review: made } = await untilStopped((signal) => reviewWith({ ...wish, signal }));
        return { day, state, plan: null, review: made };
      };
      const answer: ReviewAnswer = { schema_version: 1, days: [] };
      for (const day of days) {
        const done = await dayOf(day);
        answer.days.push(done);
        if (!opened.json) io.out(`${answer.days.length > 1 ? "\n" : ""}${dayText(done)}`);
      }
      if (opened.json) printJson(io, answer);
      else if (days.length === 0) io.out("No day with work is over yet. --date names another.\n");
      exit(await opened.done());
    });
};

async function daysOf({ daybook }: OpenedDaybook, { date, week }: Flags, now: number): Promise<string[]> {
  const { zone } = daybook;
  const today = zone.day(now);
  const last = date === undefined ? await inside(daybook).lastWorkDay(today) : null;
  if (date === undefined && last === null) return [];
  const { since, until } = resolveSpan({ date: date ?? last ?? today, week }, zone, now, { first: null, newest: null });
  if (week !== true) return [since];
  return [...(await inside(daybook).turnDays({ since, until })).keys()].filter((day) => day < today).toSorted();
}

async function planned(
  io: Io,
  { daybook }: OpenedDaybook,
  day: string,
  settings: NarrateSettings,
): Promise<ReviewedDay> {
  const known = await inside(daybook).dayReview(day);
  const plan = planReview(await inside(daybook).digest(day), {
    prompts: promptsOf(io, settings),
    model: settings.model ?? null,
    known,
    now: io.now,
  });
  return { day, state: "planned", plan, review: null };
}

/** What it takes to have an agent read a day. */
export interface ReviewWish {
  io: Io;
  daybook: Daybook;
  book: string;
  day: string;
  settings: NarrateSettings;
  agent: Agent;
  now: number;
  force?: boolean | undefined;
  signal: AbortSignal;
}

/** Has the agent read a day, and keeps what holds. */
export async function reviewWith(wish: ReviewWish): Promise<ReviewResult> {
  const { io, daybook, book, day, settings, agent, now, force, signal } = wish;
  return reviewDay({
    digest: await inside(daybook).digest(day),
    agent,
    prompts: promptsOf(io, settings),
    redactor: daybook.redactor,
    folder: reviewFolder(book, day),
    attempts: settings.attempts ?? DEFAULT_ATTEMPTS,
    limits: { usd: settings.budget_usd ?? null, tokens: settings.budget_tokens ?? null },
    now,
    force,
    signal,
    known: async () => inside(daybook).dayReview(day),
    keep: async (one) => inside(daybook).keepDayReview(one),
  });
}

function promptsOf(io: Io, settings: NarrateSettings): Prompts {
  return new Prompts(promptFolder(io.env), settings.language ?? null);
}

function noAgentError(): DaybookError {
  return usageError(
    "no agent is configured to read the day",
    "set agent, command or endpoint under [narrate] in config.toml, or give --agent; --dry-run shows what would be sent",
  );
}

function dayText({ day, state, plan, review: made }: ReviewedDay): string {
  if (plan) return planText(plan);
  if (!made) return `${day}: nothing to read\n`;
  const { opened, closed, decided, results, refused } = made;
  return `${[
    `${day}, read by ${plain(made.model)}${state === "kept" ? ` on ${made.time.slice(0, 10)}; nothing changed since` : ""}: ${costText(made)}`,
    ...section("Open", opened, (one) => `${one.why} (${one.missing})`),
    ...section("Closed", closed, (one) => one.why),
    ...section("Decided", decided, (one) => one.why),
    ...section("Results", results, (one) => (one.proof === null ? one.why : `${one.why} [${one.proof}]`)),
    ...(refused.length === 0 ? [] : ["Refused"]),
    ...refused.map(({ kind, quote, reason }) => `  x ${kind} “${plain(quote)}”: ${plain(reason)}`),
  ].join("\n")}\n`;
}

function section<Point extends ReadPoint>(
  title: string,
  points: readonly Point[],
  text: (one: Point) => string,
): string[] {
  if (points.length === 0) return [];
  return [
    title,
    ...points.flatMap((one) => [
      `  - ${plain(text(one))}`,
      `    “${plain(one.quote)}” ${one.session_id.slice(0, 8)}/${one.turn_ref}; ${plain(one.checked)}`,
    ]),
  ];
}

function costText({
  requests,
  input_tokens,
  output_tokens,
  estimated,
  cost_usd,
}: Omit<DayReview, "schema_version">): string {
  const tokens = `${estimated ? "about " : ""}${groupDigits(input_tokens + output_tokens)} tokens`;
  return `${plural(requests, "model call")}, ${tokens}, ${cost_usd === null ? "cost unknown" : money(cost_usd)}`;
}

function planText(plan: ReviewPlan): string {
  const { day, turns, requests, input_tokens, output_tokens, cost_usd, is_known, digest } = plan;
  const cost = cost_usd === null ? "cost unknown" : `about ${money(cost_usd)}`;
  const ask = is_known
    ? "read already, and nothing changed: nothing would be asked"
    : `${plural(requests, "model call")}, about ${groupDigits(input_tokens)} tokens to send and ${groupDigits(output_tokens)} back, ${cost}`;
  return `${day}: ${plural(turns, "request")}; ${ask}\n\n${digest.map((text) => plain(text)).join("\n\n")}\n`;
}
