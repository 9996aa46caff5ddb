import { displayWidth, oneLine, pad, wrap } from "../../text/inert.ts";
import { plural, short } from "../../text/units.ts";
import type { DayReport, LooseEnd, ProjectReport, ReportTurn } from "../model.ts";
import { tokensOf } from "../sums.ts";
import {
  childParts,
  commitText,
  cost,
  FIELD,
  kindLabel,
  looseText,
  LOOSE_END,
  OUTCOME_MARK,
  PROBLEM_MARK,
  parted,
  problemEnd,
  shortDay,
  shownAs,
  shownPath,
  spanNotes,
  spanTitle,
  totalCost,
  totalParts,
  turnParts,
  weekday,
  wordsOf,
} from "./phrases.ts";

type Colour = (text: string) => string;

/** The colours a terminal may have; each is the identity when it may not. */
export interface Paint {
  bold: Colour;
  dim: Colour;
  red: Colour;
  green: Colour;
  yellow: Colour;
  blue: Colour;
  cyan: Colour;
  magenta: Colour;
}

const GUTTER = 11;
/** The newest of what is still open from earlier days; other formats list all. */
const MOST_EARLIER = 12;

/** The report for a terminal: no line is wider than the window. */
export function renderTerminal(report: DayReport, paint: Paint, columns: number): string {
  return new TerminalPage(report, paint, Math.max(40, columns)).text();
}

class TerminalPage {
  readonly #report: DayReport;
  readonly #paint: Paint;
  readonly #width: number;
  readonly #lines: string[] = [];

  constructor(report: DayReport, paint: Paint, width: number) {
    this.#report = report;
    this.#paint = paint;
    this.#width = width;
  }

  text(): string {
    const { span, totals, projects } = this.#report;
    const paint = this.#paint;
    const notes = spanNotes(span).join(" · ");
    const title = spanTitle(span);
    const gap = this.#width - displayWidth(title) - displayWidth(notes);
    const tone = span.status === "partial" ? paint.yellow : paint.dim;
    if (gap >= 2) this.#lines.push(paint.bold(title) + " ".repeat(gap) + tone(notes));
    else this.#lines.push(paint.bold(oneLine(title, this.#width)), tone(oneLine(notes, this.#width)));
    if (totals.turns === 0) this.#lines.push("", "No turns. `daybook doctor` shows where Daybook looked.");
    else this.#flow(totalParts(totals), 0, (line) => line);
    const parts = projects.map(parted);
    for (const { human, automated } of parts)
      if (human.turns.length > 0 || automated.turns.length === 0) this.#project(human);
    this.#automated(parts.map(({ automated }) => automated).filter(({ turns: list }) => list.length > 0));
    this.#decisions();
    this.#looseEnds();
    this.#changes();
    this.#usage();
    this.#diagnostics();
    return `${this.#lines.join("\n")}\n`;
  }

  #head(text: string, note = ""): void {
    const room = this.#width - displayWidth(note) - 2;
    const name = oneLine(text, room);
    this.#lines.push("", this.#paint.bold(name) + (note === "" ? "" : `  ${this.#paint.dim(note)}`));
  }

  /** Parts joined by dots, broken between parts where they do not fit. */
  #flow(parts: readonly string[], indent: number, colour: Colour): void {
    const room = this.#width - indent;
    let line = "";
    const flush = (): void => {
      if (line !== "") this.#lines.push(" ".repeat(indent) + colour(line));
      line = "";
    };
    for (const part of parts.map((text) => oneLine(text, room))) {
      if (line !== "" && displayWidth(line) + 3 + displayWidth(part) > room) flush();
      line = line === "" ? part : `${line} · ${part}`;
    }
    flush();
  }

  #project(project: ProjectReport): void {
    this.#head(project.project);
    this.#flow(totalParts(project.totals), 2, (line) => line);
    this.#turns(project);
    const other = tokensOf(project.other_usage);
    if (other > 0)
      this.#lines.push(
        this.#paint.dim(oneLine(`and ${short(other)} tokens that no turn of these asked for`, this.#width)),
      );
  }

  #turns({ turns, sessions }: ProjectReport): void {
    let day = "";
    for (const turn of turns) {
      const on = turn.local_time.slice(0, 10);
      if (on !== day && this.#report.span.kind !== "day")
        this.#lines.push(this.#paint.cyan(`  ${weekday(on)}, ${shortDay(on)}`));
      day = on;
      this.#turn(turn);
    }
    for (const { session_ref, source, session_id, title } of sessions) {
      const named = title === null ? "" : ` · ${title}`;
      this.#lines.push(
        `  ${this.#paint.dim(oneLine(`${session_ref} ${source} ${session_id}${named}`, this.#width - 2))}`,
      );
    }
  }

  #automated(projects: readonly ProjectReport[]): void {
    const turns = projects.reduce((sum, project) => sum + project.turns.length, 0);
    if (turns > 0) this.#head("Automated", plural(turns, "turn"));
    for (const project of projects) {
      this.#lines.push(`  ${this.#paint.cyan(oneLine(project.project, this.#width - 2))}`);
      this.#turns(project);
    }
  }

  #turn(turn: ReportTurn): void {
    const paint = this.#paint;
    const { green, yellow, red, blue } = paint;
    const shown = shownAs(turn);
    const colour = { completed: green, unproven: red, aborted: yellow, failed: red, open: blue }[shown];
    const kind = kindLabel(turn);
    const text = kind === null ? wordsOf(turn) : `[${kind}] ${wordsOf(turn)}`;
    const [first = "", ...rest] = wrap(text, this.#width - GUTTER, 3);
    const tag = kind !== null && first.startsWith(`[${kind}]`) ? `[${kind}]` : "";
    const words = paint.magenta(tag) + first.slice(tag.length);
    this.#lines.push(`  ${colour(OUTCOME_MARK[shown])} ${turn.local_time.slice(11, 16)}  ${words}`);
    for (const line of rest) this.#lines.push(" ".repeat(GUTTER) + line);
    this.#flow([turn.source, ...turnParts(turn), turn.citation], GUTTER, paint.dim);
    for (const problem of turn.tool_problems) {
      const end = `(${problemEnd(problem)})`;
      this.#note(
        PROBLEM_MARK[problem.status],
        `${oneLine(`${problem.name} ${problem.about}`, Math.max(12, this.#width - GUTTER - 3 - end.length))} ${end}`,
        paint.red,
      );
    }
    if (turn.files.length > 0) {
      this.#note("±", turn.files.map((file) => shownPath(file.path, turn.cwd)).join(", "), paint.cyan);
    }
    for (const commit of turn.commits) this.#note("●", commitText(commit), paint.green);
    for (const child of turn.children) this.#note("↳", childParts(child).join(" · "), paint.magenta);
  }

  #note(mark: string, text: string, colour: Colour): void {
    this.#lines.push(`${" ".repeat(GUTTER)}${colour(mark)} ${oneLine(text, this.#width - GUTTER - 2)}`);
  }

  #decisions(): void {
    const { decisions } = this.#report;
    if (decisions.length === 0) return;
    this.#head("Decisions");
    for (const { title, choice, answered, project, citation } of decisions) {
      const answer = answered ? (choice ?? "answered in other words") : "not answered";
      this.#item("?", `${title} → ${answer}`, `${project} · ${citation}`);
    }
  }

  #looseEnds(): void {
    const { loose_ends: ends, carried_over: earlier, totals } = this.#report;
    if (totals.turns > 0) this.#head("Loose ends", ends.length === 0 ? "none" : "");
    for (const end of ends) this.#looseEnd(end);
    if (earlier.length === 0) return;
    this.#head("Still open from earlier days");
    for (const end of earlier.slice(-MOST_EARLIER)) this.#looseEnd(end, `${shortDay(end.day)} · `);
    const more = earlier.length - MOST_EARLIER;
    if (more > 0) this.#lines.push(this.#paint.dim(oneLine(`  and ${more} older; --format md lists all`, this.#width)));
  }

  #looseEnd(end: LooseEnd, day = ""): void {
    this.#item("!", `${LOOSE_END[end.kind]}: ${looseText(end)}`, `${day}${end.project} · ${end.citation}`);
  }

  #changes(): void {
    const { changes } = this.#report;
    if (changes.length === 0) return;
    this.#head("Changes of model, approval and sandbox");
    for (const { field, from, to, project, citation } of changes) {
      this.#item("~", `${FIELD[field] ?? field}: ${from} → ${to}`, `${project} · ${citation}`);
    }
  }

  #item(mark: string, text: string, note: string): void {
    const [first = "", ...rest] = wrap(text, this.#width - 4, 2);
    this.#lines.push(`  ${this.#paint.yellow(mark)} ${first}`);
    for (const line of rest) this.#lines.push(`    ${line}`);
    this.#lines.push(`    ${this.#paint.dim(oneLine(note, this.#width - 4))}`);
  }

  #usage(): void {
    const { totals, balance } = this.#report;
    if (tokensOf(totals.usage) === 0) return;
    this.#head("Tokens and cost");
    const rows = [
      ...totals.by_model.map((row) => ({ name: row.model, usage: row, price: cost(row) })),
      { name: "total", usage: totals.usage, price: totalCost(totals) },
    ];
    const cells = rows.map(({ name, usage, price }) => [
      name,
      `${short(usage.input_tokens)} in`,
      `${short(usage.cached_input_tokens)} cached`,
      `${short(usage.cache_write_tokens)} written`,
      `${short(usage.output_tokens)} out`,
      price,
    ]);
    const widths = (cells[0] ?? []).map((_, i) => Math.max(...cells.map((row) => displayWidth(row[i] ?? ""))));
    const numbers = widths.slice(1).reduce((sum, w) => sum + w + 2, 0);
    const name = Math.max(8, Math.min(widths[0] ?? 0, this.#width - 2 - numbers));
    for (const [head = "", ...rest] of cells) {
      const line = `  ${pad(oneLine(head, name), name)}${rest.map((cell, i) => `  ${pad(cell, widths[i + 1] ?? 0, "right")}`).join("")}`;
      this.#lines.push(oneLineKeepingSpaces(line, this.#width));
    }
    const sum = `${short(balance.turn_tokens)} by turns + ${short(balance.other_tokens)} by no turn = ${short(balance.total_tokens)}`;
    const verdict = balance.balanced ? "balanced" : `NOT BALANCED: ${balance.problems.join("; ")}`;
    this.#flow(
      [sum, `${plural(balance.records_read, "record")} read`, verdict],
      2,
      balance.balanced ? this.#paint.dim : this.#paint.red,
    );
  }

  #diagnostics(): void {
    const { diagnostics } = this.#report;
    if (diagnostics.length === 0) return;
    this.#head("Diagnostics");
    for (const { code, message, path, line, count } of diagnostics) {
      const place = `${path ?? ""}${line === null ? "" : `:${line}`}`;
      this.#item("·", `${count > 1 ? `${count} × ` : ""}${message} (${code})`, place);
    }
  }
}

/** A finished row of a table that would still run out of a very narrow window. */
function oneLineKeepingSpaces(line: string, width: number): string {
  return displayWidth(line) <= width ? line : line.slice(0, width);
}
