import { marksInBrief, mergeMarks, type Marks } from "../../answers/marks.ts";
import { plural } from "../../text/units.ts";
import type { AskedQuestion, PlacedDecision, ReportTurn, TodoList } from "../model.ts";
import type { FileEdit } from "../../sources/contract.ts";
import { editDetails, type DiffLimits } from "./html-diff.ts";
import { markup, type Content, type Markup } from "./markup.ts";
import {
  childParts,
  commitText,
  cost,
  decisionWords,
  excerpt,
  kindLabel,
  OUTCOME_MARK,
  PROBLEM_MARK,
  problemEnd,
  reviewLines,
  shortDay,
  shownOutcome,
  shownPath,
  turnParts,
  whyUnproven,
  requestText,
  type ShownOutcome,
} from "./phrases.ts";
import { prose, withCode, words } from "./prose.ts";
import { OUTCOME_NAME } from "./filters.ts";
import type { ItemTurns } from "./worth.ts";

/** How much of each turn a page shows: less on a busy day, so that the page stays small. */
export interface TurnLimits {
  /** Characters of a turn's texts. */
  chars: number;
  /** Lines of each list. */
  lines: number;
  /** Characters of a result. */
  result: number;
  diff: DiffLimits;
}

/** Characters of all turns' texts together. */
const BUDGET = 80_000;

export function limitsFor(turns: number): TurnLimits {
  const chars = Math.max(300, Math.min(4000, Math.floor(BUDGET / Math.max(1, turns))));
  const lines = chars < 600 ? 1 : chars < 1500 ? 4 : 12;
  const diff = lines === 1 ? { lines: 2, wide: 48 } : { lines: lines * 4, wide: 160 };
  return { chars, lines, result: chars < 600 ? 180 : 300, diff };
}

/** On a busy day diffs take their space from the texts beside them. */
function besideEdits(room: TurnLimits): TurnLimits {
  return room.lines === 1 ? { ...room, chars: room.chars - BESIDE } : room;
}

const BESIDE = 140;

export interface ItemContext {
  project: number;
  dated: boolean;
  room: TurnLimits;
  anchorOf: (turn: Pick<ReportTurn, "session_ref" | "turn_ref">) => string;
  decisionsOf: (turn: ReportTurn) => readonly PlacedDecision[];
  editsOf: (turn: ReportTurn) => readonly FileEdit[];
}

/**
 * One item as a `details` element: closed, it shows the results and the request; open, its turns with their answers.
 */
export function itemDetails({ item, turns }: ItemTurns, place: ItemContext): Markup {
  const shown: ShownOutcome = item.unproven ? "unproven" : item.outcome;
  const [first] = turns;
  const results = item.results.filter(({ citation }) => turns.some((turn) => turn.citation === citation));
  const said = results.map(
    ({ text }) => markup`<span class="result">${withCode(excerpt(text, 2, place.room.result))}</span> `,
  );
  const asked = markup`<span class="${said.length === 0 ? "result" : "asked"}">${withCode(excerpt(item.asked, 1, 160))}</span>`;
  const agents = [...new Set(turns.map(({ source }) => source))].toSorted().join(" ");
  return markup`<details class="item" data-project="${place.project}" data-agent="${agents}" data-outcome="${shown}">
    <summary><span class="clock${place.dated ? " day" : ""}">${first ? clockOf(first, place.dated) : ""}</span>${mark(shown, shown === "unproven" ? whyOf(turns) : OUTCOME_NAME[shown])}<span class="said">${said}${asked}</span><span class="sums">${sumsOf(turns).join(" · ")}</span></summary>
    ${turns.map((turn) => turnBlock(turn, place))}
  </details> `;
}

function clockOf({ local_time }: ReportTurn, dated: boolean): string {
  const clock = local_time.slice(11, 16);
  return dated ? `${shortDay(local_time.slice(0, 10))} ${clock}` : clock;
}

function mark(shown: ShownOutcome, title: string): Markup {
  return markup`<span class="mark ${shown}" title="${title}">${OUTCOME_MARK[shown]}</span>`;
}

function whyOf(turns: readonly ReportTurn[]): string {
  const bad = turns.findLast((turn) => shownOutcome(turn) === "unproven");
  return bad ? whyUnproven(bad) : OUTCOME_NAME.unproven;
}

function sumsOf(turns: readonly ReportTurn[]): string[] {
  const files = new Set(turns.flatMap((turn) => (turn.files ?? []).map(({ path }) => path))).size;
  const commits = turns.flatMap((turn) => turn.commits ?? []);
  const hash = commits.length === 1 ? commits[0]?.hash : null;
  const [only] = turns;
  const marks = turns.reduce<Marks | null>((all, turn) => mergeMarks(all, turn.marks), null);
  return [
    ...marksInBrief(marks).map((sign) => excerpt(sign, 1, 40)),
    ...(turns.length > 1 ? [plural(turns.length, "turn")] : []),
    ...(files > 0 ? [plural(files, "file")] : []),
    ...(commits.length > 0 ? [hash ? `● ${excerpt(hash, 1, 12)}` : plural(commits.length, "commit")] : []),
    ...(turns.length === 1 && only ? [cost(only.usage_with_children)] : []),
  ];
}

function turnBlock(turn: ReportTurn, place: ItemContext): Markup {
  const edits = editDetails(place.editsOf(turn), turn.cwd, place.room.diff);
  const room = edits === null ? place.room : besideEdits(place.room);
  const anchor = place.anchorOf(turn);
  const kind = kindLabel(turn);
  const tag = kind === null ? null : markup`<span class="kind">${kind}</span>`;
  const shown = shownOutcome(turn);
  const asked = words(requestText(turn), 2 + room.lines, Math.min(900, Math.floor(room.chars / 3)));
  const answer = turn.last_words ? prose(turn.last_words.text, Math.floor((room.chars * 2) / 3)) : [];
  const notes = [...askedNotes(turn, place.decisionsOf(turn), room), ...notesOf(turn, room, edits !== null)];
  // The citation is kept small: it is for readers who look it up.
  const cite = markup`<a class="cite" href="#${anchor}" title="${turn.citation}">${turn.turn_ref}<small>:${turn.citation.split(":")[1] ?? ""}</small></a>`;
  return markup`<div class="turn" id="${anchor}">
    <div class="you"><p class="words">${tag}${asked}</p>
    <p class="facts">${clockOf(turn, place.dated)} · ${turn.source} · ${cite}</p></div>
    ${notes.length > 0 ? markup`<ul class="notes">${notes}</ul> ` : null}${edits}${answer.length > 0 ? markup`<div class="answer">${answer}</div> ` : null}<p class="facts">${mark(shown, shown)} ${turnParts(turn).join(" · ")}</p>
  </div> `;
}

function more(all: number, shown: number): Content {
  return all > shown ? ` and ${all - shown} more` : null;
}

/** Notes of people, then problems, files, steps, commits and sub-agents of a turn, one line each. */
function notesOf(turn: ReportTurn, { lines, chars }: TurnLimits, isDrawn: boolean): Markup[] {
  const all = { files: turn.files ?? [], commits: turn.commits ?? [], children: turn.children ?? [] };
  const files = all.files.slice(0, 2 + lines * 2);
  const paths = files.map(
    ({ path }, i) => markup`${i > 0 ? ", " : ""}<code>${excerpt(shownPath(path, turn.cwd), 1, 120)}</code>`,
  );
  const problems = turn.tool_problems.slice(0, lines);
  const commits = all.commits.slice(0, 2 + lines);
  const children = all.children.slice(0, lines);
  const found = reviewLines(turn);
  const review = found.slice(0, 2 + lines * 2);
  return [
    ...(turn.marks?.notes ?? []).map(({ text }) => note("own", "✎", words(text, 2 + lines, chars))),
    ...problems.map((p, i) =>
      note(
        "bad",
        PROBLEM_MARK[p.status],
        markup`${p.name ?? "a call"} <code>${excerpt(p.about ?? "", 1, Math.min(200, Math.floor(chars / 6)))}</code> ${problemEnd(p)}${i === problems.length - 1 ? more(turn.tool_problems.length, problems.length) : null}`,
      ),
    ),
    // On a busy day the diffs name the files.
    ...(paths.length > 0 && !(isDrawn && lines === 1)
      ? [note("file", "±", [paths, more(all.files.length, files.length)])]
      : []),
    ...review.map((line, i) =>
      note("review", "◦", [excerpt(line, 1, 240), i === review.length - 1 ? more(found.length, review.length) : null]),
    ),
    ...(turn.todos ? [note("todo", "☑", todoList(turn.todos, lines))] : []),
    ...commits.map((commit) => note("commit", "●", excerpt(commitText(commit), 1, 120))),
    ...children.map((child) => note("child", "↳", childParts(child).join(" · "))),
    ...(all.children.length > children.length
      ? [note("child", "↳", `and ${plural(all.children.length - children.length, "sub-agent")} more`)]
      : []),
  ];
}

/** Questions put to the human, with the answers where they are known. */
function askedNotes({ questions }: ReportTurn, decisions: readonly PlacedDecision[], { lines }: TurnLimits): Markup[] {
  const texts: Content[] = [
    ...decisions.map((decision) => {
      const { asked, answer } = decisionWords(decision);
      return [withCode(excerpt(asked, 2, 240)), markup` → <b>${excerpt(answer, 2, 160)}</b>`];
    }),
    ...(decisions.length > 0 ? [] : (questions ?? []).map(questionText)),
  ];
  return texts.slice(0, lines).map((text) => note("ask", "?", text));
}

function questionText({ question, answered }: AskedQuestion): Content {
  return [withCode(excerpt(question, 2, 240)), answered ? null : markup` → <b>not answered</b>`];
}

function todoList({ items }: TodoList, lines: number): Markup {
  const shown = items.slice(0, 4 + lines);
  const done = items.filter(({ status }) => status === "completed").length;
  const list = shown.map(
    ({ text, status }) => markup`<li class="${CSS_CLASS_BY_STATUS[status] ?? "left"}">${excerpt(text, 1, 120)}</li>`,
  );
  const rest =
    items.length > shown.length ? markup`<li class="left">and ${items.length - shown.length} more</li>` : null;
  return markup`${done} of ${plural(items.length, "step")} done<ul class="todos">${list}${rest}</ul>`;
}

const CSS_CLASS_BY_STATUS: Readonly<Record<string, string>> = { completed: "done", in_progress: "begun" };

function note(cls: string, sign: string, text: Content): Markup {
  return markup`<li class="${cls}"><b>${sign}</b><span>${text}</span></li>`;
}
