import { plural } from "../../text/units.ts";
import type { DayReport, LooseEnd, ProjectReport, ReportTurn } from "../model.ts";
import {
  commitText,
  excerpt,
  LOOSE_END,
  looseText,
  OUTCOME_MARK,
  parted,
  shortDay,
  shownAs,
  spanTitle,
  totalParts,
  whyUnproven,
  wordsOf,
} from "./phrases.ts";
import { literal } from "./markdown.ts";

/** Most lines per project and list: this is what people paste, not what they keep. */
const MOST = 8;

/** The short form: per project what was asked and what came of it, then what is still loose. Reads as text and as Markdown. */
export function renderStandup(report: DayReport): string {
  const { span, totals, loose_ends, carried_over } = report;
  const partial = span.status === "partial" ? " (so far)" : "";
  const out = [`**${spanTitle(span)}**${partial}`];
  if (totals.turns === 0) out.push("", "No turns.");
  const parts = report.projects.map(parted);
  for (const { human, automated } of parts)
    if (human.turns.length > 0 || automated.turns.length === 0)
      out.push("", `**${literal(human.project)}**`, ...projectLines(human));
  const programs = parts.reduce((sum, { automated }) => sum + automated.turns.length, 0);
  if (programs > 0) out.push("", `And ${plural(programs, "automated turn")}.`);
  if (loose_ends.length > 0) {
    out.push("", "**Open**");
    out.push(...some(loose_ends.map((end) => openLine(end))));
  }
  if (carried_over.length > 0) {
    out.push("", "**Still open from earlier days**");
    out.push(...some(carried_over.toReversed().map((end) => `${openLine(end)} (${shortDay(end.day)})`)));
  }
  if (totals.turns > 0) out.push("", totalParts(totals).join(" · "));
  return `${out.join("\n")}\n`;
}

function openLine(end: LooseEnd): string {
  return `- ${literal(end.project)}: ${LOOSE_END[end.kind].toLowerCase()}: ${line(looseText(end))}`;
}

function projectLines(project: ProjectReport): string[] {
  const commits = project.turns.flatMap((turn) => turn.commits);
  return [
    ...some(project.turns.filter((turn) => turn.taken_back === null).map(turnLine)),
    ...some(commits.map((commit) => `- committed ${line(commitText(commit))}`)),
  ];
}

function turnLine(turn: ReportTurn): string {
  const shown = shownAs(turn);
  const ended = shown === "completed" ? "" : ` (${shown === "unproven" ? whyUnproven(turn) : shown})`;
  return `- ${OUTCOME_MARK[shown]} ${line(wordsOf(turn))}${ended}`;
}

/** Where it is pasted nobody knows what renders it: code is quoted as in prose, so that no backslash is needed before it. */
function line(text: string): string {
  return literal(excerpt(text.slice(0, 1000).replace(/\s+/g, " ").replace(/`+/g, "'"), 1, 120));
}

function some(lines: readonly string[]): string[] {
  if (lines.length <= MOST) return [...lines];
  return [...lines.slice(0, MOST - 1), `- and ${lines.length - MOST + 1} more`];
}
