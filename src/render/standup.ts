import { askedLine } from "../base/text/asked-line.ts";
import { oneLine, plain } from "../base/text/inert.ts";
import { cost, plural } from "../base/text/units.ts";
import { termsOf } from "../answers/report/loose/terms.ts";
import type { DayReport, LooseEnd, ProjectReport, ReportTurn } from "../answers/report/model.ts";
import { saysSomething } from "../answers/report/result.ts";
import { literal } from "./markdown.ts";
import {
  goalLine,
  looseText,
  mostImportant,
  NOT_KNOWN,
  outcomeMark,
  requestText,
  shortDay,
  shownOutcome,
  spanTitle,
  splitAutomated,
  whyUnproven,
  withoutBackticks,
  itemsIn,
  type ShownItem,
} from "./phrases.ts";
import { LOOSE_END_WORDS } from "../views/outcome-words.ts";
import { readLines } from "./read-by-model.ts";

/** Maximum number of lines per project and list: people paste this text, so it stays short. */
const MAX_ITEMS = 6;
const MAX_LIST = 8;
const LONGEST = 200;
const LONGEST_GOAL = 72;
/** Subjects of commits shown of one goal. */
const MAX_COMMITS = 3;
const LONGEST_PROOF = 80;
/** A shorter result needs the commits or the goal to say something. */
const SHORT_RESULT = 25;
/** A request with fewer terms names no goal. */
const FEW_TERMS = 3;

/** The short form: what came of each goal, then what did not work out, what is open, what was decided. */
export function renderStandup(report: DayReport, markdown = false): string {
  const bold = (text: string): string => (markdown ? `**${literal(text)}**` : plain(text));
  const line = (text: string): string => {
    const one = oneLine(withoutBackticks(text), LONGEST);
    return `- ${markdown ? literal(one) : one}`;
  };
  const { span, totals, loose_ends, carried_over, said_open, decisions } = report;
  const partial = span.status === "partial" ? " (so far)" : "";
  const out = [`${bold(spanTitle(span))}${partial}`];
  if (totals.turns === 0) out.push("", "No requests.");
  const section = (title: string, lines: readonly string[]): void => {
    if (lines.length > 0) out.push("", bold(title), ...lines);
  };
  const parts = report.projects.map(splitAutomated);
  for (const { human } of parts) section(human.project, projectLines(human).map(line));
  const programs = parts.reduce((sum, { automated }) => sum + automated.turns.length, 0);
  if (programs > 0) out.push("", `And ${plural(programs, "automated request")}.`);
  section(
    "Without success",
    limited(
      parts.flatMap(({ human }) => failedLines(human)),
      MAX_LIST,
    ).map(line),
  );
  const late = (end: LooseEnd): string => (end.day < span.since ? ` (${shortDay(end.day)})` : "");
  const open = [
    ...(loose_ends ?? []),
    ...(carried_over ?? []).toReversed(),
    ...(said_open ?? []).toSorted((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0)),
  ].map((end) => `${openLine(end)}${late(end)}`);
  const isKnown = loose_ends !== null && carried_over !== null;
  section("Open", [...limited(open, 2 * MAX_ITEMS), ...(isKnown ? [] : [NOT_KNOWN])].map(line));
  for (const { title, lines, more } of readLines(report, false))
    section(title, [
      ...lines.map(({ text, place }) => line(`${place.split(" · ")[0] ?? ""}: ${text}`)),
      ...(more > 0 ? [line(`and ${more} more`)] : []),
    ]);
  const answered = decisions.filter((one) => one.answered);
  const worded = answered.filter(({ title }) => title !== null);
  const rest = answered.length - worded.length;
  const decided = [
    ...worded.map(
      ({ project, title, choice, free_text }) => `${project}: ${title} → ${choice ?? free_text ?? "answered"}`,
    ),
    ...(rest > 0 ? [`${plural(rest, "answer")} ${NOT_KNOWN}`] : []),
  ];
  section("Decided", limited(decided, MAX_LIST).map(line));
  if (totals.turns > 0) out.push("", `${plural(totals.turns, "request")} · ${cost(totals.usage)}`);
  return `${out.join("\n")}\n`;
}

/** Project and goal, what is open, and how long the goal may be where both must fit. */
function openLine(end: LooseEnd): string {
  const label = end.kind === "said" ? "said" : LOOSE_END_WORDS[end.kind];
  const text = looseText(end);
  const goal = text.startsWith(end.goal.slice(0, 40)) ? "" : goalLine(end);
  return `${end.project}: ${goal === "" ? "" : `${goal} – `}${label}: ${text}`;
}

/** The most important goals of a project with what came of them; the others by their names. */
function projectLines(project: ProjectReport): string[] {
  if (project.items === null) return [`${plural(project.turns.length, "request")}, ${NOT_KNOWN}`];
  const all = itemsIn(project);
  const shown = mostImportant(all, MAX_ITEMS);
  const rest = all.filter((item) => !shown.includes(item)).map((item) => oneLine(goalOf(item, project), 40));
  return [
    ...shown.map((item) => itemLine(item, project)),
    ...(rest.length > 0 ? [`and ${rest.length} more: ${rest.join("; ")}`] : []),
  ];
}

function isGoal(text: string | null): text is string {
  return termsOf(text ?? "").size >= FEW_TERMS;
}

/** What colleagues know the work by: the request that says most, else a commit, the session, or the project. */
function goalOf({ item, turns }: ShownItem, project: ProjectReport): string {
  if (isGoal(item.asked)) return item.asked;
  const subject = turns.flatMap(({ commits }) => (commits ?? []).flatMap((one) => one.subject ?? [])).at(-1);
  if (subject !== undefined) return subject;
  const titles = project.sessions.filter(({ session_ref }) => turns.some((turn) => turn.session_ref === session_ref));
  const title = titles.map((session) => session.title).find((one) => isGoal(one)) ?? null;
  return title === null ? [project.project, item.asked].filter(Boolean).join(": ") : askedLine(title);
}

/** The goal, how it stands, and the commits. */
function itemLine(one: ShownItem, project: ProjectReport): string {
  const { item, turns } = one;
  const mark = item.unproven ? "unproven" : item.outcome;
  const made = turns.flatMap(({ commits }) => commits ?? []);
  const goal = oneLine(withoutBackticks(goalOf(one, project)), LONGEST_GOAL);
  const named = made.slice(-MAX_COMMITS).map(({ subject, hash }) => [subject, hash].filter(Boolean).join(" "));
  const subjects = [...new Set(named)].filter((name) => name !== "");
  const texts = item.results.map(({ text }) => text);
  const last = texts.at(-1) ?? "";
  // How things stand is said last, unless that is only `Committed.`
  const said = last.length < SHORT_RESULT * 2 ? (texts.find((text) => text.length >= SHORT_RESULT * 2) ?? last) : last;
  const isVague = said.length < SHORT_RESULT || !saysSomething(said);
  const result = isVague && subjects.length > 0 ? "" : withoutBackticks(said);
  const proof = subjects.length === 0 ? "" : oneLine(`(${subjects.join("; ")})`, LONGEST_PROOF);
  const state = mark === "completed" ? "" : `${outcomeMark(mark)} `;
  const room = LONGEST - goal.length - proof.length - state.length - 6;
  const told = result === "" ? goal : `${goal} → ${oneLine(result, room)}`;
  return `${state}${told}${proof === "" ? "" : ` ${proof}`}`;
}

/** Every turn that did not reach its goal, and whether a later one of the same work did. */
function failedLines(project: ProjectReport): string[] {
  return itemsIn(project).flatMap((one) => {
    const bad = one.turns.filter((turn) => turn.taken_back === null && shownOutcome(turn) !== "completed");
    const isDone = one.item.outcome === "completed" && !one.item.unproven;
    return bad.map((turn) => {
      const goal = oneLine(withoutBackticks(goalOf(one, project)), LONGEST_GOAL);
      const asked = oneLine(withoutBackticks(askedLine(requestText(turn))), LONGEST_GOAL);
      const about = asked === goal || asked === "" ? goal : `${goal} – ${asked}`;
      return `${project.project}: ${about} (${why(turn)}${isDone ? "; done later" : ""})`;
    });
  });
}

const ENDED: Record<ReportTurn["outcome"], string> = {
  completed: "",
  aborted: "stopped",
  failed: "failed",
  open: "not finished",
};

function why(turn: ReportTurn): string {
  return turn.outcome === "completed" ? whyUnproven(turn) : ENDED[turn.outcome];
}

function limited(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 1), `and ${lines.length - most + 1} more`];
}
