import type { DayReport, LooseEnd, ProjectReport, ReportTurn } from "../answers/report/model.ts";
import { displayWidth, oneLine, pad, wrap } from "../base/text/inert.ts";
import { cost, plural, shortNumber } from "../base/text/units.ts";
import { totalTokens } from "../record/tokens.ts";
import { marksInBrief } from "../views/marks.ts";
import { dayRows, percent, projectShares, rowParts, shareParts, trend } from "./over-days.ts";
import { readLines } from "./read-by-model.ts";
import { TerminalLines, type Paint } from "./terminal-lines.ts";
import {
  balanceParts,
  childParts,
  commitText,
  decisionWords,
  FIELD,
  kindLabel,
  goalLine,
  looseText,
  looseKind,
  NOT_KNOWN,
  outcomeMark,
  PROBLEM_MARK,
  problemAbout,
  problemEnd,
  requestText,
  reviewLines,
  shortDay,
  shownOutcome,
  shownPath,
  splitAutomated,
  totalParts,
  turnParts,
  weekday,
  withoutBackticks,
} from "./phrases.ts";
import { SAID_OPEN, WAITING } from "../views/outcome-words.ts";

const GUTTER = 11;
/** The newest of what is still open from earlier days; other formats list all. */
const MOST_EARLIER = 12;

/** The whole report for a terminal: every turn. */
export function renderFull(report: DayReport, paint: Paint, columns: number): string {
  return new FullPage(report, new TerminalLines(paint, columns)).text();
}

class FullPage {
  readonly #report: DayReport;
  readonly #out: TerminalLines;
  readonly #paint: Paint;
  readonly #width: number;

  constructor(report: DayReport, out: TerminalLines) {
    this.#report = report;
    this.#out = out;
    this.#paint = out.paint;
    this.#width = out.width;
  }

  text(): string {
    const { span, totals, projects } = this.#report;
    this.#out.title(span);
    if (totals.turns === 0) this.#out.push("", "No requests. `daybook doctor` shows where Daybook looked.");
    else this.#out.flow(totalParts(totals), 0, (line) => line);
    daysBlock(this.#out, this.#report, true);
    this.#looseEnds();
    this.#said();
    this.#readByModel();
    const parts = projects.map(splitAutomated);
    for (const { human, automated } of parts)
      if (human.turns.length > 0 || automated.turns.length === 0) this.#project(human);
    this.#automated(parts.map(({ automated }) => automated).filter(({ turns: list }) => list.length > 0));
    this.#decisions();
    this.#changes();
    this.#usage();
    this.#diagnostics();
    return this.#out.text();
  }

  #project(project: ProjectReport): void {
    this.#out.head(project.project);
    this.#out.flow(totalParts(project.totals), 2, (line) => line);
    this.#turns(project);
    const other = totalTokens(project.other_usage);
    if (other > 0)
      this.#out.push(
        this.#paint.dim(oneLine(`and ${shortNumber(other)} tokens that no request of these asked for`, this.#width)),
      );
  }

  #turns({ turns, sessions }: ProjectReport): void {
    let day = "";
    for (const turn of turns) {
      const on = turn.local_time.slice(0, 10);
      if (on !== day && this.#report.span.kind !== "day")
        this.#out.push(this.#paint.cyan(`  ${weekday(on)}, ${shortDay(on)}`));
      day = on;
      this.#turn(turn);
    }
    for (const { session_ref, source, title, marks } of sessions) {
      const named = [...marksInBrief(marks), ...(title === null ? [] : [title])].map((part) => ` · ${part}`).join("");
      this.#out.push(`  ${this.#paint.dim(oneLine(`${session_ref} ${source}${named}`, this.#width - 2))}`);
    }
  }

  #automated(projects: readonly ProjectReport[]): void {
    const turns = projects.reduce((sum, project) => sum + project.turns.length, 0);
    if (turns > 0) this.#out.head("Automated", plural(turns, "request"));
    for (const project of projects) {
      this.#out.push(`  ${this.#paint.cyan(oneLine(project.project, this.#width - 2))}`);
      this.#turns(project);
    }
  }

  #turn(turn: ReportTurn): void {
    const paint = this.#paint;
    const { green, yellow, red, blue } = paint;
    const shown = shownOutcome(turn);
    const colour = { completed: green, unproven: red, aborted: yellow, failed: red, open: blue }[shown];
    const kind = kindLabel(turn);
    const text = kind === null ? requestText(turn) : `[${kind}] ${requestText(turn)}`;
    const [first = "", ...rest] = wrap(text, this.#width - GUTTER, 3);
    const tag = kind !== null && first.startsWith(`[${kind}]`) ? `[${kind}]` : "";
    const words = paint.magenta(tag) + first.slice(tag.length);
    this.#out.push(`  ${colour(outcomeMark(shown))} ${turn.local_time.slice(11, 16)}  ${words}`);
    for (const line of rest) this.#out.push(" ".repeat(GUTTER) + line);
    if (turn.result)
      for (const line of wrap(`→ ${withoutBackticks(turn.result.text)}`, this.#width - GUTTER, 2))
        this.#out.push(" ".repeat(GUTTER) + line);
    this.#out.flow([turn.source, ...turnParts(turn), turn.citation], GUTTER, paint.dim);
    const { notes = [] } = turn.marks ?? {};
    if (turn.marks) this.#out.flow(marksInBrief({ ...turn.marks, notes: [] }), GUTTER, paint.yellow);
    for (const { text: note } of notes) this.#note("✎", note, paint.yellow);
    for (const problem of turn.tool_problems) {
      const end = `(${problemEnd(problem)})`;
      this.#note(
        PROBLEM_MARK[problem.status],
        `${oneLine(problemAbout(problem), Math.max(12, this.#width - GUTTER - 3 - end.length))} ${end}`,
        paint.red,
      );
    }
    if (turn.files && turn.files.length > 0) {
      this.#note("±", turn.files.map((file) => shownPath(file.path, turn.cwd)).join(", "), paint.cyan);
    }
    for (const line of reviewLines(turn)) this.#note("◦", line, paint.cyan);
    for (const commit of turn.commits ?? []) this.#note("●", commitText(commit), paint.green);
    for (const child of turn.children ?? []) this.#note("↳", childParts(child).join(" · "), paint.magenta);
  }

  #note(mark: string, text: string, colour: (text: string) => string): void {
    this.#out.push(`${" ".repeat(GUTTER)}${colour(mark)} ${oneLine(text, this.#width - GUTTER - 2)}`);
  }

  #decisions(): void {
    const { decisions } = this.#report;
    if (decisions.length === 0) return;
    this.#out.head("Decisions");
    for (const decision of decisions) {
      const { asked, answer } = decisionWords(decision, true);
      this.#out.item("?", `${asked} → ${answer}`, `${decision.project} · ${decision.citation}`);
    }
  }

  #said(): void {
    const said = this.#report.said_open ?? [];
    if (said.length === 0) return;
    this.#out.head(SAID_OPEN);
    const { since } = this.#report.span;
    for (const end of said) this.#looseEnd(end, end.day < since ? `${shortDay(end.day)} · ` : "");
  }

  #looseEnds(): void {
    const { loose_ends: ends, carried_over: earlier, totals } = this.#report;
    if (totals.turns > 0) this.#out.head(WAITING, ends === null ? NOT_KNOWN : ends.length === 0 ? "none" : "");
    for (const end of ends ?? []) this.#looseEnd(end);
    if (earlier?.length === 0) return;
    this.#out.head("Still open from earlier days", earlier === null ? NOT_KNOWN : "");
    if (earlier === null) return;
    for (const end of earlier.slice(-MOST_EARLIER)) this.#looseEnd(end, `${shortDay(end.day)} · `);
    const more = earlier.length - MOST_EARLIER;
    if (more > 0) this.#out.push(this.#paint.dim(oneLine(`  and ${more} older; --format md lists all`, this.#width)));
  }

  #readByModel(): void {
    for (const { title, lines } of readLines(this.#report)) {
      this.#out.head(title);
      for (const { text, quote, place } of lines) this.#out.item("~", `${text} “${quote}”`, place);
    }
  }

  #looseEnd(end: LooseEnd, day = ""): void {
    const about = end.kind === "said" ? looseText(end) : `${looseKind(end.kind)}: ${looseText(end)}`;
    const goal = goalLine(end);
    this.#out.item("!", about, [`${day}${end.project}`, ...(goal === "" ? [] : [goal]), end.citation].join(" · "));
  }

  #changes(): void {
    const { changes } = this.#report;
    if (changes?.length === 0) return;
    this.#out.head("Changes of model, approval and sandbox", changes === null ? NOT_KNOWN : "");
    for (const { field, from, to, project, citation } of changes ?? []) {
      this.#out.item("~", `${FIELD[field] ?? field}: ${from} → ${to}`, `${project} · ${citation}`);
    }
  }

  #usage(): void {
    const { totals, balance } = this.#report;
    if (totalTokens(totals.usage) === 0) return;
    this.#out.head("Tokens and cost");
    const rows = [
      ...totals.by_model.map((row) => ({ name: row.model, usage: row, price: cost(row) })),
      { name: "total", usage: totals.usage, price: cost(totals.usage) },
    ];
    const cells = rows.map(({ name, usage, price }) => [
      name,
      `${shortNumber(usage.input_tokens)} in`,
      `${shortNumber(usage.cached_input_tokens)} cached`,
      `${shortNumber(usage.cache_write_tokens)} written`,
      `${shortNumber(usage.output_tokens)} out`,
      price,
    ]);
    const widths = (cells[0] ?? []).map((_, i) => Math.max(...cells.map((row) => displayWidth(row[i] ?? ""))));
    const numbers = widths.slice(1).reduce((sum, w) => sum + w + 2, 0);
    const name = Math.max(8, Math.min(widths[0] ?? 0, this.#width - 2 - numbers));
    for (const [head = "", ...rest] of cells) {
      const line = `  ${pad(oneLine(head, name), name)}${rest.map((cell, i) => `  ${pad(cell, widths[i + 1] ?? 0, "right")}`).join("")}`;
      this.#out.push(oneLineKeepingSpaces(line, this.#width));
    }
    const sum = `${shortNumber(balance.turn_tokens)} by requests + ${shortNumber(balance.other_tokens)} by no request = ${shortNumber(balance.total_tokens)}`;
    const { read, verdict } = balanceParts(balance);
    this.#out.flow([sum, read, verdict], 2, balance.balanced === false ? this.#paint.red : this.#paint.dim);
  }

  #diagnostics(): void {
    const { diagnostics } = this.#report;
    if (diagnostics.length === 0) return;
    this.#out.head("Diagnostics");
    for (const { code, message, path, line, count } of diagnostics) {
      const place = `${path ?? ""}${line === null ? "" : `:${line}`}`;
      this.#out.item("·", `${count > 1 ? `${count} × ` : ""}${message} (${code})`, place);
    }
  }
}

/** Cuts a finished table row that does not fit a very narrow window. */
function oneLineKeepingSpaces(line: string, width: number): string {
  return displayWidth(line) <= width ? line : line.slice(0, width);
}

/** Eighths of a column, so that small days remain visible beside large ones. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const LONGEST_BAR = 32;
const MOST_PROJECTS = 6;

/**
 * Overview of a span of several days: the comparison with the days before, and bars for days and projects. Nothing for
 * a single day.
 */
export function daysBlock(out: TerminalLines, report: DayReport, isFull: boolean): void {
  const change = trend(report);
  if (change === null || report.totals.turns === 0) return;
  const { dim, blue, cyan } = out.paint;
  out.push(dim(oneLine(`${change.against}:`, out.width)));
  out.flow(change.parts, 2, (line) => line);
  const days = dayRows(report);
  out.head("Days");
  table(
    out,
    days.map((row) => ({ name: row.name, share: row.share, cells: rowParts(row) })),
    blue,
  );
  const { by, rows } = projectShares(report);
  const shown = isFull ? rows : rows.slice(0, MOST_PROJECTS);
  out.head("Projects", `by ${by}`);
  table(
    out,
    shown.map((row) => ({
      name: row.project.project,
      share: row.share,
      cells: [percent(row.share), ...shareParts(row)],
    })),
    cyan,
  );
  if (shown.length < rows.length) out.push(dim(`  and ${rows.length - shown.length} more (--full)`));
}

interface Line {
  name: string;
  share: number;
  cells: string[];
}

/**
 * Names, bars and facts in columns. In a narrow window first the bars get shorter, then the last columns are dropped.
 */
function table(out: TerminalLines, lines: readonly Line[], colour: (text: string) => string): void {
  const most = Math.floor(out.width / 4);
  const name = Math.min(most, Math.max(...lines.map((line) => displayWidth(line.name))));
  const columns = Math.max(0, ...lines.map(({ cells }) => cells.length));
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(0, ...lines.map(({ cells }) => displayWidth(cells[i] ?? ""))),
  );
  let used = widths.length;
  const room = (): number => out.width - 2 - name - 2 - widths.slice(0, used).reduce((sum, wide) => sum + wide + 2, 0);
  while (used > 1 && room() < 6) used--;
  const longest = Math.min(LONGEST_BAR, Math.max(1, room()));
  for (const line of lines) {
    const cells = line.cells.slice(0, used).map((cell, i) => `  ${pad(cell, widths[i] ?? 0, "right")}`);
    const drawn = bar(line.share, longest);
    const text = `  ${pad(oneLine(line.name, name), name)}  ${colour(drawn)}${" ".repeat(longest - displayWidth(drawn))}${out.paint.dim(cells.join(""))}`;
    out.push(text.trimEnd());
  }
}

function bar(share: number, longest: number): string {
  const eighths = Math.round(share * longest * 8);
  if (share > 0 && eighths === 0) return EIGHTHS[1] ?? "";
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}
