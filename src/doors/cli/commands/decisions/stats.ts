import { inside } from "../../../../answers/daybook.ts";
import type { Command } from "commander";
import type { DecisionStatsAnswer } from "../../../../answers/json.ts";
import type { NamedCounts, QuestionCounts, QuestionStats } from "../../../../teach/stats.ts";
import type { Zone } from "../../../../base/time/zone.ts";
import type { Io } from "../../io.ts";
import { printJson } from "../../json.ts";
import { oneLine, plain } from "../../../../base/text/inert.ts";
import { groupDigits, money, plural } from "../../../../base/text/units.ts";
import { flow, tally, wrapLines } from "../../layout.ts";
import { openDaybook, type OpenedDaybook } from "../../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../../options.ts";
import type { Paint } from "../../output.ts";
import { table, type Column } from "../../table.ts";
import { slugHere, stateOf } from "../../teaching.ts";

interface Flags extends CommonFlags {
  profile?: boolean;
}

export function statsCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  commonFlags(decisions.command("stats"))
    .description("what became of each question: followed, overridden, answered otherwise; by project, agent and month")
    .option("--profile", "what your answers say about your way of working, beside what you declared")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook decisions stats\n  daybook decisions stats --since 90d --project app --json",
    )
    .action(async (flags: Flags) => {
      const opened = openDaybook(io, flags);
      const state = stateOf(io, flags);
      const { limit: _, ...query } = opened.query;
      const place = { state, slug: slugHere(io, state), sources: flags.source };
      const found = await inside(opened.daybook).decisionStats(query, place);
      const answer = opened.hide<DecisionStatsAnswer>({
        schema_version: 1,
        state_root: state?.root ?? null,
        ...found.stats,
      });
      const { limit } = opened.listQuery;
      if (opened.json) printJson(io, cut(answer, opened.query.limit));
      else if (answer.marked.of === 0) io.out(`${await empty(() => opened.emptyText("questions"), io.columns)}\n`);
      else if (flags.profile === true) io.out(profileTable(answer, opened.paint, io.columns));
      else io.out(overview(answer, limit, opened, io.columns));
      const code = await opened.done();
      for (const problem of found.problems.slice(0, 5)) io.err(`daybook: unreadable: ${plain(problem)}\n`);
      exit(code === 0 && found.problems.length > 0 ? 3 : code);
    });
}

function cut(answer: DecisionStatsAnswer, limit: number | undefined): DecisionStatsAnswer {
  const { questions, unmarked } = answer;
  return { ...answer, questions: questions.slice(0, limit), unmarked: unmarked.slice(0, limit) };
}

async function empty(none: () => Promise<string>, width: number): Promise<string> {
  const what =
    "Questions come from sessions in which an agent asked you something, and from `daybook decisions hook --install`, which notes them as they are asked.";
  return [await none(), ...wrapLines(what, width)].join("\n");
}

function overview(
  answer: DecisionStatsAnswer,
  limit: number | undefined,
  { paint, daybook: { zone } }: OpenedDaybook,
  width: number,
): string {
  const { total, marked, found, calibration, not_counted: more } = answer;
  const parts: [string, string[]][] = [
    ["Asked", [plural(total.asked, "question"), ...outcomes(total)]],
    ["Marked", [`${marked.percent ?? 0}%, ${groupDigits(marked.questions)} of ${groupDigits(marked.of)}`]],
    [
      "Found",
      [
        ...counted(found.in_sessions, "in sessions"),
        ...counted(found.in_log, "noted live"),
        ...counted(found.in_both, "in both, counted once"),
      ],
    ],
    ["Sources", answer.sources.map(({ source, questions }) => `${source} ${groupDigits(questions)}`)],
    ["Profile", [calibrationText(calibration)]],
  ];
  const { runs, cost_usd: cost } = answer.distilled;
  if (runs > 0) parts.push(["Lessons", [plural(runs, "run"), ...(cost === null ? [] : [money(cost)])]]);
  if (more.plans + more.refused_permissions + more.in_prose > 0)
    parts.push([
      "Apart",
      [
        ...counted(more.plans, "plans shown"),
        ...counted(more.refused_permissions, "permissions refused"),
        ...counted(more.in_prose, "decided in prose"),
      ],
    ]);
  const indent = 10;
  const head = parts.flatMap(([name, texts]) =>
    flow(texts, width - indent).map((line, i) => `${paint.bold((i === 0 ? name : "").padEnd(indent))}${line}`),
  );
  const blocks = [
    head.join("\n"),
    questionTable("Question", answer.questions, limit, dayIn(zone), paint, width),
    questionTable("Without a marker", answer.unmarked, limit, dayIn(zone), paint, width),
    autoTable(answer.auto_decisions, dayIn(zone), paint, width),
    ...[
      ["Project", answer.by_project],
      ["Agent", answer.by_agent],
      ["Month", answer.by_month],
    ].map(([name, rows]) => namedTable(name as string, rows as NamedCounts[], paint, width)),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function outcomes(counts: QuestionCounts): string[] {
  return [
    `${groupDigits(counts.followed)} followed`,
    `${groupDigits(counts.overridden)} overridden`,
    `${groupDigits(counts.answered_otherwise)} otherwise`,
    ...counted(counts.no_recommendation, "without a recommendation"),
    ...counted(counts.unclear, "unclear"),
    ...counted(counts.unanswered, "unanswered"),
    ...counted(counts.auto_decided, "decided by your preference"),
  ];
}

function counted(n: number, what: string): string[] {
  return n === 0 ? [] : [`${groupDigits(n)} ${what}`];
}

function calibrationText({ enough, needed, ...have }: DecisionStatsAnswer["calibration"]): string {
  const text = (["events", "skills", "question_ids", "days"] as const)
    .filter((name) => have[name] < needed[name])
    .map(
      (name) =>
        `${have[name]} of ${needed[name]} ${name === "question_ids" ? "ids" : name === "events" ? "answers" : name}`,
    );
  return enough ? "enough to tell: daybook decisions stats --profile" : `not yet: ${text.join(", ")}`;
}

interface NumberColumn {
  head: string;
  key: keyof QuestionCounts;
  dropOrder?: number;
}

const ALWAYS: readonly NumberColumn[] = [
  { head: "asked", key: "asked" },
  { head: "followed", key: "followed" },
  { head: "overridden", key: "overridden" },
  { head: "otherwise", key: "answered_otherwise" },
];
/** Shown only where a value is greater than zero. */
const SOMETIMES: readonly NumberColumn[] = [
  { head: "no advice", key: "no_recommendation", dropOrder: 1 },
  { head: "unclear", key: "unclear", dropOrder: 1 },
  { head: "open", key: "unanswered", dropOrder: 4 },
  { head: "auto", key: "auto_decided", dropOrder: 5 },
];

function numbersOf(list: readonly QuestionCounts[]): { columns: Column[]; cells: (one: QuestionCounts) => string[] } {
  const shown = [...ALWAYS, ...SOMETIMES.filter(({ key }) => list.some((one) => one[key] > 0))];
  return {
    columns: shown.map(({ head, dropOrder }) => ({
      head,
      align: "right",
      ...(dropOrder === undefined ? {} : { dropOrder }),
    })),
    cells: (one) => shown.map(({ key }) => (one[key] === 0 ? "·" : groupDigits(one[key]))),
  };
}

type DayOf = (time: string | null) => string;

/** The day of a time in the zone that was asked for. */
function dayIn(zone: Zone): DayOf {
  return (time) => (time === null ? "" : zone.day(Date.parse(time)));
}

function questionTable(
  name: string,
  all: readonly QuestionStats[],
  limit: number | undefined,
  dayOf: DayOf,
  paint: Paint,
  width: number,
): string {
  if (all.length === 0) return "";
  const list = all.slice(0, limit);
  const numbers = numbersOf(list);
  const columns: Column[] = [
    // An id is meant to be copied, so it gets enough width.
    { head: name, grow: true, minWidth: list.some((one) => one.marked) ? 40 : 24 },
    ...numbers.columns,
    { head: "last", dropOrder: 2 },
    { head: "", dropOrder: 3, paint: paint.dim },
  ];
  const rows = list.map((one) => [
    one.marked ? one.question_id : oneLine(one.summary, 60) || one.question_id,
    ...numbers.cells(one),
    dayOf(one.last_asked),
    [...(one.door_type === "one-way" ? ["one-way"] : []), ...(one.preference === null ? [] : [one.preference])].join(
      " ",
    ),
  ]);
  const tail = list.length < all.length ? `\n${paint.dim(tally(list.length, all.length, "question"))}` : "";
  return table(columns, rows, width, paint.dim) + tail;
}

function autoTable(list: DecisionStatsAnswer["auto_decisions"], dayOf: DayOf, paint: Paint, width: number): string {
  if (list.length === 0) return "";
  const columns: Column[] = [
    { head: "Decided for you" },
    { head: "question", minWidth: 12 },
    { head: "option", grow: true },
  ];
  const rows = list.map(({ time, question_id, choice }) => [dayOf(time), question_id, oneLine(choice ?? "", 80)]);
  return table(columns, rows, width, paint.dim);
}

const MOST_ROWS = 12;

/** A single row would only repeat the totals. */
function namedTable(name: string, all: readonly NamedCounts[], paint: Paint, width: number): string {
  if (all.length < 2) return "";
  const list = all.slice(0, MOST_ROWS);
  const numbers = numbersOf(list);
  const rows = list.map((one) => [one.name, ...numbers.cells(one)]);
  const tail =
    list.length < all.length ? `\n${paint.dim(`and ${groupDigits(all.length - list.length)} more, in --json`)}` : "";
  return table([{ head: name, grow: true }, ...numbers.columns], rows, width, paint.dim) + tail;
}

function profileTable({ profile, calibration }: DecisionStatsAnswer, paint: Paint, width: number): string {
  const columns: Column[] = [
    { head: "Way of working", grow: true },
    { head: "answers", align: "right" },
    { head: "observed", align: "right" },
    { head: "declared", align: "right" },
    { head: "" },
  ];
  const rows = profile.dimensions.map(({ dimension, answers, observed, declared, gap }) => [
    dimension.replaceAll("_", " "),
    answers === 0 ? "·" : groupDigits(answers),
    ...[observed, declared].map((value) => (value === null ? "·" : value.toFixed(2))),
    gap ?? "",
  ]);
  const note = profile.enough
    ? ""
    : `${paint.dim(wrapLines(`Observed ${calibrationText(calibration)}`, width).join("\n"))}\n`;
  return `${table(columns, rows, width, paint.dim)}\n${note}`;
}
