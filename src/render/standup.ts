import { oneLine, plain } from "../base/text/inert.ts";
import { plural } from "../base/text/units.ts";
import type { DayReport, LooseEnd, ProjectReport } from "../answers/report/model.ts";
import { literal } from "./markdown.ts";
import {
  itemsIn,
  type ShownItem,
  LOOSE_END,
  looseText,
  mostImportant,
  NOT_KNOWN,
  OUTCOME_MARK,
  resultLine,
  shortDay,
  spanTitle,
  splitAutomated,
  totalCost,
  withoutBackticks,
} from "./phrases.ts";

/** Maximum number of lines per project and list: people paste this text, so it stays short. */
const MAX_ITEMS = 5;
const LONGEST = 200;

/** The short form: results per project, then what is open and what was decided. Plain text or Markdown. */
export function renderStandup(report: DayReport, markdown = false): string {
  const bold = (text: string): string => (markdown ? `**${literal(text)}**` : plain(text));
  const line = (text: string): string => {
    const one = oneLine(withoutBackticks(text), LONGEST);
    return `- ${markdown ? literal(one) : one}`;
  };
  const { span, totals, loose_ends, carried_over, decisions } = report;
  const partial = span.status === "partial" ? " (so far)" : "";
  const out = [`${bold(spanTitle(span))}${partial}`];
  if (totals.turns === 0) out.push("", "No turns.");
  const section = (title: string, lines: readonly string[]): void => {
    if (lines.length > 0) out.push("", bold(title), ...lines);
  };
  const parts = report.projects.map(splitAutomated);
  for (const { human } of parts) section(human.project, projectLines(human).map(line));
  const programs = parts.reduce((sum, { automated }) => sum + automated.turns.length, 0);
  if (programs > 0) out.push("", `And ${plural(programs, "automated turn")}.`);
  const open = [
    ...(loose_ends ?? []).map((end) => openLine(end)),
    ...(carried_over ?? []).toReversed().map((end) => `${openLine(end)} (${shortDay(end.day)})`),
  ];
  const isKnown = loose_ends !== null && carried_over !== null;
  section("Open", [...limited(open, 2 * MAX_ITEMS), ...(isKnown ? [] : [NOT_KNOWN])].map(line));
  const answered = decisions.filter((one) => one.answered);
  const worded = answered.filter(({ title }) => title !== null);
  const rest = answered.length - worded.length;
  const decided = [
    ...worded.map(
      ({ project, title, choice, free_text }) => `${project}: ${title} → ${choice ?? free_text ?? "answered"}`,
    ),
    ...(rest > 0 ? [`${plural(rest, "answer")} ${NOT_KNOWN}`] : []),
  ];
  section("Decided", limited(decided, MAX_ITEMS).map(line));
  if (totals.turns > 0) out.push("", `${plural(totals.turns, "turn")} · ${totalCost(totals)}`);
  return `${out.join("\n")}\n`;
}

function openLine(end: LooseEnd): string {
  const label = `${LOOSE_END[end.kind].toLowerCase()}: `;
  return `${end.project}: ${label}${looseText(end)}`;
}

/** The most important items of a project. */
function projectLines(project: ProjectReport): string[] {
  if (project.items === null) return [`${plural(project.turns.length, "turn")}, ${NOT_KNOWN}`];
  const all = itemsIn(project);
  const shown = mostImportant(all, MAX_ITEMS);
  const rest = all.length - shown.length;
  return [...shown.map(itemLine), ...(rest > 0 ? [`and ${rest} more`] : [])];
}

/** The results, with the request only where they say too little. */
function itemLine({ item, turns }: ShownItem): string {
  const mark = item.unproven ? "unproven" : item.outcome;
  const commits = turns.flatMap(({ commits: made }) => (made ?? []).flatMap(({ hash }) => hash ?? []));
  const proof = commits.length === 0 ? "" : ` (${commits.slice(-3).join(", ")})`;
  const state = mark === "completed" ? "" : `${OUTCOME_MARK[mark]} `;
  const room = LONGEST - proof.length - state.length - 2;
  return `${state}${oneLine(withoutBackticks(resultLine(item)), room)}${proof}`;
}

function limited(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 1), `and ${lines.length - most + 1} more`];
}
