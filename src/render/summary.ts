import { marksInBrief, mergeMarks, type Marks } from "../views/marks.ts";
import { displayWidth, oneLine, pad } from "../base/text/inert.ts";
import { cost, duration, plural } from "../base/text/units.ts";
import type { DayReport, LooseEnd, ProjectReport, ReportItem, ReportTurn } from "../answers/report/model.ts";
import {
  balanceParts,
  commitText,
  countParts,
  decisionWords,
  itemsIn,
  type ShownItem,
  looseKind,
  looseText,
  mostImportant,
  NOT_KNOWN,
  outcomeMark,
  resultLine,
  shortDay,
  splitAutomated,
  weekday,
  whyUnproven,
  withoutBackticks,
} from "./phrases.ts";
import type { ShownOutcome } from "../answers/shown-outcomes.ts";
import { SAID_OPEN, WAITING } from "../views/outcome-words.ts";
import { isUnproven } from "../answers/report/sums.ts";
import { daysBlock } from "./terminal.ts";
import { readLines } from "./read-by-model.ts";
import { TerminalLines, type Paint } from "./terminal-lines.ts";

const GUTTER = 11;
/** Height assumed for a window whose height is unknown. */
export const USUAL_HEIGHT = 50;
/** Maximum number of entries of each kind on the first screen. */
const MOST_LOOSE = 6;
const MOST_EARLIER = 3;
const MOST_SAID = 2;
const MOST_DECISIONS = 4;
const MOST_PROBLEMS = 2;
/** Most and fewest items per project, however much room there is. */
const MOST_ITEMS = 5;
const FEWEST_ITEMS = 1;
const FEWEST_FINISHED = 4;

/** The report on one screen: loose ends, results, decisions and cost. `--full` shows every turn. */
export function renderSummary(report: DayReport, paint: Paint, columns: number, height: number = USUAL_HEIGHT): string {
  return new SummaryPage(report, new TerminalLines(paint, columns)).text(height);
}

class SummaryPage {
  readonly #report: DayReport;
  readonly #out: TerminalLines;
  readonly #paint: Paint;

  constructor(report: DayReport, out: TerminalLines) {
    this.#report = report;
    this.#out = out;
    this.#paint = out.paint;
  }

  text(height: number): string {
    const { span, totals, projects } = this.#report;
    this.#out.title(span);
    if (totals.turns === 0) this.#out.push("", "No requests. `daybook doctor` shows where Daybook looked.");
    else this.#out.flow(headline(this.#report), 0, (line) => line);
    daysBlock(this.#out, this.#report, false);
    this.#waiting();
    this.#readByModel();
    const parts = projects.map(splitAutomated);
    const human = parts.map((part) => part.human).filter(({ turns }) => turns.length > 0);
    const automated = parts.map((part) => part.automated).filter(({ turns }) => turns.length > 0);
    const decided = this.#report.decisions.filter(({ answered }) => answered);
    // Lines needed below the projects without decisions, including the blank lines between.
    const free = height - this.#out.count - automated.length - 6 - (decided.length > 0 ? 2 : 0);
    // On a full day decisions give way before projects do.
    const spare = span.kind === "day" ? free - linesOf(human, FEWEST_ITEMS) : MOST_DECISIONS;
    const mostDecided = Math.max(1, Math.min(decided.length, MOST_DECISIONS, spare));
    const room = free - (decided.length > 0 ? mostDecided : 0);
    if (span.kind === "day") {
      const most = fitting(human, room);
      for (const project of human) this.#project(project, most);
    } else this.#finished(human, room);
    if (automated.length > 0) this.#out.push("");
    for (const project of automated) this.#automated(project);
    this.#decisions(decided, mostDecided);
    this.#cost();
    return this.#out.text();
  }

  #waiting(): void {
    const { loose_ends: own, carried_over: earlier, said_open, totals, span } = this.#report;
    const [here, before] = [own ?? [], earlier ?? []];
    const said = (said_open ?? []).filter(({ day }) => day >= span.since).slice(0, MOST_SAID);
    if (here.length + before.length + said.length === 0) {
      if (totals.turns > 0) this.#out.head(WAITING, own === null || earlier === null ? NOT_KNOWN : "none");
      return;
    }
    const note = here.length > MOST_LOOSE ? `${MOST_LOOSE} of ${here.length}` : "";
    const none = here.length + before.length === 0 ? "none that records show" : note;
    this.#out.head(WAITING, own === null ? `of these days ${NOT_KNOWN}` : none);
    for (const end of here.slice(-MOST_LOOSE)) this.#looseEnd(end, "");
    for (const end of before.slice(-MOST_EARLIER)) this.#looseEnd(end, `${shortDay(end.day)} `);
    const more = Math.max(0, before.length - MOST_EARLIER);
    if (more > 0)
      this.#out.push(`  ${this.#paint.dim(oneLine(`and ${more} from earlier days (--full)`, this.#out.width - 2))}`);
    if (said.length > 0) this.#out.head(SAID_OPEN);
    for (const end of said) this.#looseEnd(end, "");
  }

  /** What a model read to be open or decided; all of it with --full. */
  #readByModel(): void {
    for (const { title, lines, more } of readLines(this.#report, false)) {
      this.#out.head(title, more > 0 ? `and ${more} more (--full)` : "");
      for (const { text, place } of lines)
        this.#out.push(
          `  ${this.#paint.dim("~")} ${oneLine(`${withoutBackticks(text)}  ${place}`, this.#out.width - 4)}`.trimEnd(),
        );
    }
  }

  /** One line: project, text, and the citation where there is room. */
  #looseEnd(end: LooseEnd, day: string): void {
    const { width } = this.#out;
    const where = oneLine(`${day}${end.project}`, Math.floor(width / 3));
    const place = width >= 100 ? `  ${end.citation}` : "";
    const label = end.kind === "said" ? "" : `${looseKind(end.kind)}: `;
    const text = `${label}${withoutBackticks(looseText(end))}`;
    const room = width - 4 - where.length - 2 - place.length;
    this.#out.push(
      `  ${this.#paint.yellow("!")} ${this.#paint.cyan(where)}  ${pad(oneLine(text, room), room)}${this.#paint.dim(place)}`.trimEnd(),
    );
  }

  #project(project: ProjectReport, most: number): void {
    const { totals, turns } = project;
    const sums = [plural(turns.length, "request"), ...countParts(totals.commits, "commit"), cost(totals.usage)];
    this.#out.head(project.project, sums.join(" · "));
    if (project.items === null) return;
    const all = itemsIn(project);
    const shown = mostImportant(all, most);
    for (const item of shown) this.#item(item);
    const rest = all.length - shown.length;
    if (rest > 0) this.#out.push(this.#paint.dim(`  and ${rest} more (--full)`));
  }

  /**
   * For a span of several days: one line for each of the most important items that succeeded. The others are listed
   * above as loose ends, or in the full report.
   */
  #finished(projects: readonly ProjectReport[], room: number): void {
    const worded = projects.filter(({ items }) => items !== null);
    if (worded.length === 0 && projects.length > 0) this.#out.head("Finished", NOT_KNOWN);
    const all = worded.flatMap((project) =>
      itemsIn(project).map((one) => ({ ...one, project: project.project, time: one.turns[0]?.time ?? "" })),
    );
    const done = all.filter(({ item }) => item.outcome === "completed" && !item.unproven && item.results.length > 0);
    if (all.length === 0) return;
    const shown = new Set<ShownItem>(mostImportant(done, Math.max(FEWEST_FINISHED, room - 3)));
    this.#out.head("Finished", done.length === 0 ? "nothing" : "");
    const name = Math.min(16, Math.max(0, ...done.map(({ project }) => displayWidth(project))));
    const inOrder = done.filter((one) => shown.has(one)).toSorted((a, b) => (a.time < b.time ? -1 : 1));
    for (const { item, turns, project } of inOrder) {
      const head = `${this.#when(turns[0])} ${this.#paint.cyan(pad(oneLine(project, name), name))}`;
      const said = oneLine(
        withoutBackticks(resultLine(item)),
        this.#out.width - 6 - this.#when(turns[0]).length - 1 - name,
      );
      this.#out.push(`  ${this.#paint.green(outcomeMark("completed"))} ${head}  ${said}`);
    }
    const rest = all.length - inOrder.length;
    const bad = all.length - done.length;
    const without = bad === 0 ? "" : `, ${bad} of them without success or result`;
    if (rest > 0)
      this.#out.push(`  ${this.#paint.dim(oneLine(`and ${rest} more (--full)${without}`, this.#out.width - 2))}`);
  }

  #item({ item, turns }: ShownItem): void {
    const { green, yellow, red, blue } = this.#paint;
    const shown: ShownOutcome = item.unproven ? "unproven" : item.outcome;
    const colour = { completed: green, unproven: red, aborted: yellow, failed: red, open: blue }[shown];
    const [first, second] = item.results.slice(-2).filter((result, i) => i === 0 || !this.#isLoose(result.text));
    const room = this.#out.width - GUTTER;
    const said = first ? withoutBackticks(first.text) : (ENDED[shown] ?? item.asked);
    this.#out.push(`  ${colour(outcomeMark(shown))} ${this.#when(turns[0])}  ${oneLine(said, room)}`);
    if (second) this.#out.push(" ".repeat(GUTTER) + oneLine(withoutBackticks(second.text), room));
    this.#out.oneFlow(item.asked, evidence(item, turns), GUTTER);
  }

  /** Whether the result is already listed as a loose end. */
  #isLoose(result: string): boolean {
    return (this.#report.loose_ends ?? []).some(({ text }) => text?.includes(result.slice(0, 60)) === true);
  }

  #when(turn: ReportTurn | undefined): string {
    const { local_time = "" } = turn ?? {};
    if (this.#report.span.kind === "day") return local_time.slice(11, 16);
    const day = local_time.slice(0, 10);
    return this.#report.days.length > 7 ? pad(shortDay(day), 6, "right") : weekday(day).slice(0, 3);
  }

  #automated(project: ProjectReport): void {
    const { turns } = project;
    const said = turns.findLast(({ result }) => result !== null)?.result?.text ?? "";
    const text = `Automated in ${project.project}: ${plural(turns.length, "request")}${said === "" ? "" : `; ${withoutBackticks(said)}`}`;
    this.#out.push(this.#paint.dim(oneLine(text, this.#out.width)));
  }

  #decisions(decided: DayReport["decisions"], most: number): void {
    if (decided.length === 0) return;
    const worded = decided.filter(({ title }) => title !== null);
    const [shown, rest] = [worded.slice(-most), decided.length - worded.length];
    const notes = [
      ...(worded.length > most ? [`${most} of ${worded.length}`] : []),
      ...(rest > 0 ? [`${plural(rest, "answer")} ${NOT_KNOWN}`] : []),
    ];
    this.#out.head("Decided", notes.join(", "));
    for (const decision of shown) {
      const { asked, answer } = decisionWords(decision);
      const room = this.#out.width - 6 - decision.project.length;
      this.#out.push(`  ${this.#paint.cyan(decision.project)}  ${oneLine(`${asked} → ${answer}`, room)}`);
    }
  }

  #cost(): void {
    const { totals, balance } = this.#report;
    if (totals.turns === 0) return;
    this.#out.head("Cost", cost(totals.usage));
    const dearest = totals.by_model.toSorted((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0)).slice(0, 4);
    if (dearest.length > 1)
      this.#out.flow(
        dearest.map((row) => `${row.model} ${cost(row)}`),
        2,
        this.#paint.dim,
      );
    if (balance.balanced === false)
      this.#out.push(this.#paint.red(oneLine(`  ${balanceParts(balance).verdict}`, this.#out.width)));
    const { diagnostics } = this.#report;
    for (const { message, count } of diagnostics.slice(0, MOST_PROBLEMS))
      this.#out.push(
        `  ${this.#paint.dim(oneLine(`· ${count > 1 ? `${count} × ` : ""}${message}`, this.#out.width - 2))}`,
      );
    const more = diagnostics.length - MOST_PROBLEMS;
    if (more > 0)
      this.#out.push(
        `  ${this.#paint.dim(oneLine(`and ${more} more kinds of problems (--full)`, this.#out.width - 2))}`,
      );
  }
}

/** Shown when the agent said nothing. */
const ENDED: Partial<Record<ShownOutcome, string>> = {
  aborted: "Stopped before it was done",
  failed: "Failed",
  open: "Not finished yet",
};

function headline({ totals, projects }: DayReport): string[] {
  const parts = [`${plural(totals.turns, "request")} in ${plural(projects.length, "project")}`];
  const bad = totals.outcomes.aborted + totals.outcomes.failed + (totals.unproven ?? 0);
  if (bad > 0) parts.push(`${bad} without success`);
  if (totals.outcomes.open > 0) parts.push(`${totals.outcomes.open} open`);
  parts.push(...countParts(totals.commits, "commit"), ...countParts(totals.files_changed, "file", " changed"));
  if (totals.duration_ms > 0) parts.push(`${duration(totals.duration_ms)} at work`);
  return [...parts, cost(totals.usage)];
}

/** Marks, checks, turns, commits and the citation, most important first: what does not fit is dropped from the end. */
function evidence(item: ReportItem, turns: readonly ReportTurn[]): string[] {
  const bad = item.unproven ? turns.findLast(isUnproven) : undefined;
  const commits = turns.flatMap((turn) => turn.commits ?? []);
  const last = commits.at(-1);
  const findings = turns.reduce((sum, { review }) => sum + (review?.findings.length ?? 0), 0);
  return [
    ...marksInBrief(turns.flatMap(({ marks }) => marks ?? []).reduce<Marks | null>(mergeMarks, null)),
    ...(bad ? [whyUnproven(bad)] : []),
    ...(turns.length > 1 ? [plural(turns.length, "request")] : []),
    ...(commits.length === 1 && last
      ? [`● ${commitText({ ...last, subject: last.hash === null ? last.subject : "" })}`]
      : []),
    ...(commits.length > 1 ? [plural(commits.length, "commit")] : []),
    ...(findings > 0 ? [plural(findings, "finding")] : []),
    item.results.at(-1)?.citation ?? item.turns.at(-1) ?? "",
  ];
}

/** How many items of each project fit into the given number of lines: an item takes two or three, a project two. */
function fitting(projects: readonly ProjectReport[], lines: number): number {
  for (let most = MOST_ITEMS; most > FEWEST_ITEMS; most--) if (linesOf(projects, most) <= lines) return most;
  return FEWEST_ITEMS;
}

/** The lines that projects take with this many items each. */
function linesOf(projects: readonly ProjectReport[], most: number): number {
  return projects.reduce((sum, project) => {
    const shown = mostImportant(itemsIn(project), most);
    const own = shown.reduce((n, { item }) => n + 1 + Math.min(2, Math.max(1, item.results.length)), 0);
    return sum + 2 + own + (shown.length < itemsIn(project).length ? 1 : 0);
  }, 0);
}
