import { marksInBrief } from "../views/marks.ts";
import { plain } from "../base/text/inert.ts";
import { cost, duration, groupDigits, shortNumber, plural } from "../base/text/units.ts";
import type { UsageView } from "../views/usage-sum.ts";
import type { DayReport, LooseEnd, ProjectReport, ReportTurn } from "../answers/report/model.ts";
import { dayRows, percent, projectShares, shareParts, trend, type DaysRow } from "./over-days.ts";
import {
  itemsIn,
  type ShownItem,
  balanceParts,
  childParts,
  commitText,
  decisionWords,
  excerpt,
  FIELD,
  kindLabel,
  goalLine,
  looseText,
  looseKind,
  NOT_KNOWN,
  outcomeMark,
  PROBLEM_MARK,
  problemEnd,
  requestText,
  reviewLines,
  shortDay,
  shownOutcome,
  shownPath,
  spanNotes,
  spanTitle,
  splitAutomated,
  totalParts,
  turnParts,
} from "./phrases.ts";
import { SAID_OPEN, WAITING } from "../views/outcome-words.ts";
import { readLines } from "./read-by-model.ts";
import { totalTokens } from "../record/tokens.ts";

/** Shown in place of a list that is not in the store. */
const NOT_KNOWN_LINE = `${NOT_KNOWN.charAt(0).toUpperCase()}${NOT_KNOWN.slice(1)}.`;

/** What a model read, apart from what the records show. */
function readBlocks(report: DayReport): string[] {
  return readLines(report).flatMap(({ title, lines }) => [
    `## ${literal(title)}`,
    lines.map(({ text, quote, place }) => `- ${literal(text)} “${literal(quote)}” (${literal(place)})`).join("\n"),
  ]);
}

/** The report as Markdown. Session text appears as literal text: no markup, no links, no HTML, no headings. */
export function renderMarkdown(report: DayReport): string {
  const { span, totals, projects } = report;
  const blocks = [`# ${spanTitle(span)}`, spanNotes(span).map(literal).join(" · ")];
  blocks.push(totals.turns === 0 ? "No requests." : `**${totalParts(totals).join(" · ")}**`);
  if (totals.turns > 0) blocks.push(...daysBlocks(report));
  if (totals.turns > 0) {
    const ends = (report.loose_ends ?? []).map((end) => looseLine(end));
    const none = report.loose_ends === null ? NOT_KNOWN_LINE : "None.";
    blocks.push(`## ${WAITING}`, ends.length === 0 ? none : ends.join("\n"));
  }
  if (report.carried_over === null) blocks.push("## Still open from earlier days", NOT_KNOWN_LINE);
  else if (report.carried_over.length > 0) {
    const ends = report.carried_over.map((end) => looseLine(end, `${shortDay(end.day)}, `));
    blocks.push("## Still open from earlier days", ends.join("\n"));
  }
  const said = (report.said_open ?? []).map((end) =>
    looseLine(end, end.day < span.since ? `${shortDay(end.day)}, ` : ""),
  );
  if (said.length > 0) blocks.push(`## ${SAID_OPEN}`, said.join("\n"));
  blocks.push(...readBlocks(report));
  const parts = projects.map(splitAutomated);
  const dated = span.kind !== "day";
  for (const { human, automated } of parts)
    if (human.turns.length > 0 || automated.turns.length === 0) blocks.push(...projectBlocks(human, dated));
  const programs = parts.map(({ automated }) => automated).filter(({ turns }) => turns.length > 0);
  if (programs.length > 0)
    blocks.push("## Automated", ...programs.flatMap((project) => automatedBlocks(project, dated)));
  if (report.decisions.length > 0) {
    const items = report.decisions.map((decision) => {
      const { asked, answer } = decisionWords(decision, true);
      const { project, citation } = decision;
      return `- ${shortLiteral(asked)} → **${shortLiteral(answer)}** (${literal(project)}, ${code(citation)})`;
    });
    blocks.push("## Decisions", items.join("\n"));
  }
  if (report.changes === null) blocks.push("## Changes of model, approval and sandbox", NOT_KNOWN_LINE);
  else if (report.changes.length > 0) {
    const items = report.changes.map(
      ({ project, field, from, to, citation }) =>
        `- ${literal(project)}: ${FIELD[field] ?? literal(field)} ${code(from)} → ${code(to)} (${code(citation)})`,
    );
    blocks.push("## Changes of model, approval and sandbox", items.join("\n"));
  }
  if (totalTokens(totals.usage) > 0) blocks.push("## Tokens and cost", ...usageTables(report), balanceLine(report));
  if (report.diagnostics.length > 0) {
    const items = report.diagnostics.map(({ code: rule, message, path, line, count }) => {
      const place = path === null ? "" : ` ${code(`${path}${line === null ? "" : `:${line}`}`)}`;
      return `- ${count > 1 ? `${count} × ` : ""}${shortLiteral(message)} (${literal(rule)})${place}`;
    });
    blocks.push("## Diagnostics", items.join("\n"));
  }
  return `${blocks.join("\n\n")}\n`;
}

/** For a span of several days: the comparison with the days before, its days, its projects. */
function daysBlocks(report: DayReport): string[] {
  const change = trend(report);
  if (change === null) return [];
  const days = dayRows(report).map((row) => [row.name, ...rowCells(row)]);
  const { by, rows } = projectShares(report);
  const shares = rows.map((row) => [literal(row.project.project), percent(row.share), shareParts(row).join(" · ")]);
  return [
    `${change.against}: ${change.parts.join(" · ")}`,
    "## Days",
    table(["day", "requests", "at work", "commits", "tokens", "cost"], days),
    "## Projects",
    table(["project", `share of the ${by}`, ""], shares),
  ];
}

function rowCells(row: DaysRow): string[] {
  const numbers = [groupDigits(row.turns), row.duration_ms > 0 ? duration(row.duration_ms) : ""];
  return [
    ...numbers,
    row.commits === null ? "–" : groupDigits(row.commits),
    shortNumber(row.tokens),
    row.tokens > 0 ? row.cost : "",
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, ["---", ...head.slice(1).map(() => "---:")], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function looseLine(end: LooseEnd, day = ""): string {
  const { kind, project, citation } = end;
  const label = kind === "said" ? "" : `**${looseKind(kind)}**: `;
  const goal = goalLine(end);
  const about = goal === "" ? literal(project) : `${literal(project)}: ${literal(goal)}`;
  return `- ${label}${shortLiteral(looseText(end))} (${day}${about}, ${code(citation)})`;
}

function automatedBlocks(project: ProjectReport, dated: boolean): string[] {
  return [`In ${literal(project.project)}, ${plural(project.turns.length, "request")}:`, ...workBlocks(project, dated)];
}

function workBlocks({ turns, sessions }: ProjectReport, dated: boolean): string[] {
  const named = sessions.map(({ source, session_id, title, marks }) => {
    const called = [...marksInBrief(marks), ...(title === null ? [] : [title])]
      .map((part) => ` ${shortLiteral(part)}`)
      .join("");
    return `${code(session_id)} ${literal(source)}${called}`;
  });
  // Not a list: it would continue the list of the last turn.
  const list = named.length > 0 ? [`Sessions: ${named.join(" · ")}`] : [];
  return [...turns.flatMap((turn) => turnBlocks(turn, dated)), ...list];
}

function projectBlocks(project: ProjectReport, dated: boolean): string[] {
  const other = totalTokens(project.other_usage);
  return [
    `## ${literal(project.project)}`,
    totalParts(project.totals).join(" · "),
    ...(project.items && project.items.length > 0 ? [itemsIn(project).map(itemLine).join("\n")] : []),
    ...workBlocks(project, dated),
    ...(other > 0 ? [`${shortNumber(other)} tokens belong to no request of these.`] : []),
  ];
}

/** The results of one item, and the request. */
function itemLine({ item }: ShownItem): string {
  const mark = outcomeMark(item.unproven ? "unproven" : item.outcome);
  const said = item.results.map(({ text }) => shortLiteral(text)).join(" ");
  const asked = said === "" ? `**${shortLiteral(item.asked)}**` : `**${said}** ${shortLiteral(item.asked)}`;
  return `- ${mark} ${asked} (${item.turns.map((citation) => code(citation)).join(", ")})`;
}

function turnBlocks(turn: ReportTurn, dated: boolean): string[] {
  const at = dated ? turn.local_time.slice(0, 16) : turn.local_time.slice(11, 16);
  const kind = kindLabel(turn);
  const facts = [
    ...turn.tool_problems.map(
      (p) =>
        `- ${PROBLEM_MARK[p.status]} ${literal(p.name ?? "a call")}${p.about === null ? "" : ` ${code(cut(p.about, 160))}`} (${problemEnd(p)})`,
    ),
    ...(turn.files && turn.files.length > 0
      ? [`- files: ${turn.files.map((f) => code(shownPath(f.path, turn.cwd))).join(", ")}`]
      : []),
    ...markLines(turn),
    ...reviewLines(turn).map((line) => `- ${shortLiteral(line)}`),
    ...(turn.commits ?? []).map((commit) => `- commit: ${shortLiteral(commitText(commit))}`),
    ...(turn.children ?? []).map((child) => `- sub-agent: ${childParts(child).map(literal).join(" · ")}`),
  ];
  return [
    `### ${at} ${outcomeMark(shownOutcome(turn))} ${literal(turn.source)}${kind === null ? "" : ` (${kind})`} · ${code(turn.citation)}`,
    quote(requestText(turn)),
    ...(turn.result ? [`→ ${shortLiteral(turn.result.text)}`] : []),
    turnParts(turn).join(" · "),
    ...(facts.length > 0 ? [facts.join("\n")] : []),
  ].filter((block) => block !== "");
}

/** Marks that people put on the turn. */
function markLines({ marks }: ReportTurn): string[] {
  if (!marks) return [];
  const signs = marksInBrief({ ...marks, notes: [] });
  return [
    ...(signs.length === 0 ? [] : [`- ${signs.map(shortLiteral).join(" · ")}`]),
    ...marks.notes.map(({ text }) => `- note: ${shortLiteral(text)}`),
  ];
}

interface UsageRow {
  name: string;
  usage: UsageView;
  price: string;
}

function usageTables({ projects, totals }: DayReport): string[] {
  const byProject = projects.map((project) => ({
    name: literal(project.project),
    usage: project.totals.usage,
    price: cost(project.totals.usage),
  }));
  const byModel = totals.by_model.map((row) => ({ name: literal(row.model), usage: row, price: cost(row) }));
  const total = { name: "**total**", usage: totals.usage, price: cost(totals.usage) };
  return [usageTable("project", byProject), usageTable("model", [...byModel, total])];
}

function usageTable(of: string, list: readonly UsageRow[]): string {
  const head = [of, "input", "cache read", "cache write", "output", "cost"];
  const rows = list.map(({ name, usage, price }) => [
    name,
    ...[usage.input_tokens, usage.cached_input_tokens, usage.cache_write_tokens, usage.output_tokens].map(groupDigits),
    price,
  ]);
  return table(head, rows);
}

function balanceLine({ balance }: DayReport): string {
  const { turn_tokens, other_tokens, total_tokens } = balance;
  const { read, verdict } = balanceParts(balance);
  const sum = `${groupDigits(turn_tokens)} tokens by requests + ${groupDigits(other_tokens)} by no request = ${groupDigits(total_tokens)}`;
  const wrong = `**not balanced**: ${shortLiteral((balance.problems ?? []).join("; "))}`;
  return `${sum} · ${read} · ${balance.balanced === false ? wrong : verdict}`;
}

/** The human's words as a quote: every line is prefixed, and nothing in it acts as markup. */
function quote(text: string): string {
  return excerpt(text, 6, 700)
    .split("\n")
    .map((line) => `> ${literal(line)}`)
    .join("\\\n");
}

function cut(text: string, chars: number): string {
  return excerpt(text.slice(0, chars * 4).replace(/\s+/g, " "), 1, chars);
}

/** One shortened line of session text. */
function shortLiteral(text: string): string {
  return literal(cut(text, 240));
}

/**
 * One line of text that Markdown shows as it is. HTML becomes entities, characters are escaped where they could begin
 * markup, and URLs lose the colon that makes them links. Numbers that Daybook computed need none of it.
 */
export function literal(text: string): string {
  return plain(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*[\]|~]|\$(?!\d)/g, (c) => `\\${c}`)
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\_")
    .replace(/:(?=\/\/)/g, "\\:")
    .replace(/(?<![A-Za-z0-9])(www)\./gi, "$1\\.")
    .replace(/!(?=\\\[)/g, "\\!")
    .replace(/^(?:[#=-]+|\+)(?=\s|$)/, (c) => `\\${c}`)
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}

/** A code span; text that could end one, or that holds tags, becomes literal text instead. */
export function code(text: string): string {
  const flat = plain(text).replace(/\s+/g, " ").trim();
  return flat === "" ? "" : /[`<]/.test(flat) ? literal(flat) : `\`${flat}\``;
}
