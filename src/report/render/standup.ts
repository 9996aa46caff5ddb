import type { DayReport, ProjectReport, ReportTurn } from "../model.ts";
import { excerpt, LOOSE_END, looseText, OUTCOME_MARK, shownAs, spanTitle, totalParts, wordsOf } from "./phrases.ts";
import { literal } from "./markdown.ts";

/** Most lines per project and list: this is what people paste, not what they keep. */
const MOST = 8;

/** The short form: per project what was asked and what came of it, then what is still loose. Reads as text and as Markdown. */
export function renderStandup(report: DayReport): string {
  const { span, totals, loose_ends } = report;
  const partial = span.status === "partial" ? " (so far)" : "";
  const out = [`**${spanTitle(span)}**${partial}`];
  if (totals.turns === 0) return `${out[0] ?? ""}\n\nNo turns.\n`;
  for (const project of report.projects) out.push("", `**${literal(project.project)}**`, ...projectLines(project));
  if (loose_ends.length > 0) {
    out.push("", "**Open**");
    const lines = loose_ends.map(
      (end) => `- ${literal(end.project)}: ${LOOSE_END[end.kind].toLowerCase()}: ${line(looseText(end))}`,
    );
    out.push(...some(lines));
  }
  out.push("", totalParts(totals).join(" · "));
  return `${out.join("\n")}\n`;
}

function projectLines(project: ProjectReport): string[] {
  const commits = project.turns.flatMap((turn) => turn.commits);
  return [
    ...some(project.turns.filter((turn) => turn.taken_back === null).map(turnLine)),
    ...some(commits.map(({ hash, subject }) => `- committed ${line([hash, subject].filter(Boolean).join(" "))}`)),
  ];
}

function turnLine(turn: ReportTurn): string {
  const shown = shownAs(turn);
  const ended = shown === "completed" ? "" : ` (${shown === "unproven" ? "last check failed" : shown})`;
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
