import { SAID_OPEN } from "../../../views/outcome-words.ts";
import { z } from "zod";
import { inside, type Daybook } from "../../../answers/daybook.ts";
import { shownOutcome } from "../../../render/phrases.ts";
import { readSections } from "../../../render/read-by-model.ts";
import type { PlacedPoint, ReadPoint } from "../../../views/day-review.ts";
import type { DayReport, ReportTurn } from "../../../answers/report/model.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { cost, plural } from "../../../base/text/units.ts";
import { report as question } from "../../../answers/questions/days.ts";
import { cursor, inputsOf, lineOf, only, tool, type Tool, turnCitation } from "../tool.ts";

/** The report of a day or span. */
export const report: Tool = tool({
  name: "report",
  description:
    "A day (default: the last with work), week or span: what was asked per project, what came of it, commits, decisions, loose ends, cost.",
  input: z.object({
    ...inputsOf(only(question.query, ["date", "since", "until", "project"])),
    digest: z.boolean().optional().describe("a day (date) turn by turn, to judge for yourself what is open or decided"),
    cursor,
  }),
  answer: async ({ date, since, until, project: named, digest }, { daybook, caller }) => {
    if (digest === true) return digestText(daybook, date);
    const made = await daybook.report({ date, since, until, project: caller.project(named) });
    return { about: plural(made.totals.turns, "request"), text: reportText(made) };
  },
});

/** What `daybook review` sends to a model. */
async function digestText(daybook: Daybook, date: string | undefined): Promise<{ about: string; text: string }> {
  const { span } = await daybook.report({ date });
  const { turns, parts } = await inside(daybook).digest(span.since);
  const naming = await inside(daybook).naming(turns);
  const names = turns.map((turn) => `${turn.name} = ${turnCitation(turn, naming)}`);
  return {
    about: plural(turns.length, "request"),
    text: [...parts.map(({ text }) => text), names.join("\n")].join("\n\n"),
  };
}

function reportText(made: DayReport): string {
  const { span, totals, projects, decisions, loose_ends, carried_over, said_open, read_by_model } = made;
  const days = span.since === span.until ? span.since : `${span.since} to ${span.until}`;
  return [
    lineOf([
      days,
      span.timezone,
      span.status,
      plural(totals.turns, "request"),
      `${totals.outcomes.completed} completed`,
      totals.commits === null ? null : plural(totals.commits, "commit"),
      totals.files_changed === null ? null : plural(totals.files_changed, "file"),
      cost(totals.usage),
    ]),
    ...projects.flatMap((one) => {
      const turns = new Map(one.turns.map((turn) => [turn.citation, turn]));
      return [
        "",
        `== ${lineOf([one.project, plural(one.totals.turns, "request"), cost(one.totals.usage)])}`,
        ...(one.items ?? []).flatMap((item) => [
          `- asked: ${item.asked} (${item.unproven ? "unproven" : item.outcome})`,
          ...item.results.map(({ text }) => `  result: ${askedLine(text)}`),
          ...item.turns.flatMap((citation) => {
            const turn = turns.get(citation);
            return turn ? turnLines(turn) : [];
          }),
        ]),
      ];
    }),
    ...section(
      "Decisions",
      decisions.map((one) => `- ${one.title} → ${one.choice ?? one.free_text ?? "not answered"} [${one.citation}]`),
    ),
    ...section("Waiting for the human", (loose_ends ?? []).map(looseLine)),
    ...section("Still open from earlier days", (carried_over ?? []).map(looseLine)),
    ...section(SAID_OPEN, (said_open ?? []).map(looseLine)),
    ...readByModelLines(read_by_model),
    ...section(
      "Not read",
      made.diagnostics.map(({ message, count }) => `- ${message} (${count})`),
    ),
  ].join("\n");
}

function turnLines(turn: ReportTurn): string[] {
  const changed = turn.files && turn.files.length > 0 ? plural(turn.files.length, "file") : null;
  return [
    `  [${turn.citation}] ${lineOf([turn.local_time.slice(0, 16), shownOutcome(turn), changed, cost(turn.usage_with_children)])}`,
    ...(turn.commits ?? []).map(({ hash, subject }) => `    commit ${hash ?? ""} ${subject ?? ""}`.trimEnd()),
  ];
}

function looseLine(one: NonNullable<DayReport["loose_ends"]>[number]): string {
  const quote = one.quote === null || one.quote === one.text ? null : `"${one.quote}"`;
  return `- ${one.kind}: ${lineOf([one.text, quote, one.asked])} [${one.citation}]`;
}

function readLine(one: PlacedPoint<ReadPoint>): string {
  return `- ${lineOf([one.why, `“${one.quote}”`])} [${one.citation}]`;
}

/** Never mixed with what the records show. */
function readByModelLines(read: DayReport["read_by_model"]): string[] {
  if (read === null) return [];
  return readSections(read).flatMap(({ title, points }) => section(title, points.map(readLine)));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `== ${title}`, ...lines];
}
