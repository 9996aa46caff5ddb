import { marksInBrief } from "../../../views/marks.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { Decision } from "../../../turns/decisions/model.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { oneLine } from "../../../base/text/inert.ts";
import { cost, plural } from "../../../base/text/units.ts";
import type { RecordedRequest } from "../model.ts";
import type { RankedItem, SectionName } from "./model.ts";
import { keyOfSession } from "../../../record/session-key.ts";

export interface HandoffInput {
  session: SessionView;
  /** Display name of the agent. */
  agent: string;
  /** The turns to report, in order. */
  turns: readonly RecordedRequest[];
  decisions: readonly Decision[];
  branch: string | null;
  /** The commit its last turn began on, as recorded. */
  commit: string | null;
  /** The agent's own command that resumes the session. */
  resume: string | null;
}

/**
 * Importance to whoever continues the session: the lower, the longer an item is kept. `ranked` orders the items within
 * a section.
 */
const RANK: Readonly<Record<SectionName, number>> = {
  session: 0,
  goal: 1,
  notes: 2,
  state: 3,
  todos: 4,
  decisions: 5,
  failures: 6,
  git: 7,
  files: 8,
  requests: 9,
};
/** Distance between the ranks of two sections: more than any section has items. */
const STEP = 1_000_000;
const LINE = 400;

/** Everything the brief may say. `longest`: maximum characters of one text. */
export function itemsOf(reported: HandoffInput, longest: number): RankedItem[] {
  const standing = reported.turns.filter(({ taken_back }) => taken_back === null);
  const turns = standing.length > 0 ? standing : reported.turns;
  return [
    ...ranked("session", sessionLines(reported), "first"),
    ...ranked("goal", goals(turns, longest), "last"),
    ...ranked("notes", notesOf(reported, longest), "last"),
    ...ranked("state", stateOf(turns.at(-1), longest), "first"),
    ...ranked("todos", todosOf(turns), "first"),
    ...ranked("decisions", decisionsOf(reported.decisions), "last"),
    ...ranked("failures", turns.flatMap(failuresOf), "last"),
    ...ranked("git", gitOf(reported), "last"),
    ...ranked("files", filesOf(turns), "last"),
    ...ranked("requests", reported.turns.map(requestOf), "last"),
  ];
}

type Line = Pick<RankedItem, "text" | "citation">;

function ranked(section: SectionName, lines: readonly Line[], keeps: "first" | "last"): RankedItem[] {
  return lines.map((line, i) => ({
    ...line,
    section,
    rank: RANK[section] * STEP + (keeps === "first" ? i : lines.length - 1 - i),
  }));
}

function sessionLines({ session, agent, turns, resume }: HandoffInput): Line[] {
  const { session_id, source, project, cwd, title, models, agent_version, started_at, ended_at, marks } = session;
  const files = [...new Set(turns.map(({ session_path }) => session_path))];
  const rows: [string, string | null][] = [
    ["session", keyOfSession(source, session_id)],
    ["title", title],
    ["agent", [agent, agent_version, ...models].filter((word) => word !== null).join(" ")],
    ["project", project],
    ["marks", marks === null ? null : marksInBrief({ ...marks, notes: [] }).join(", ") || null],
    ["directory", cwd],
    ["time", `${started_at ?? "?"} to ${ended_at ?? "?"}`],
    [
      "work",
      `${plural(session.turns, "request")}, ${plural(session.tools.total, "tool call")}, ${cost(session.usage)}`,
    ],
    ...files.map((path): [string, string] => ["file", fileLine(path, turns, files.length)]),
    ["resume", resume],
  ];
  return rows.flatMap(([name, value]) =>
    value === null ? [] : [{ text: `${name.padEnd(10)}${oneLine(value, LINE)}`, citation: null }],
  );
}

/** A path with the range of turns recorded in it: a cited line refers to the file of its turn. */
function fileLine(path: string, turns: readonly RecordedRequest[], files: number): string {
  if (files === 1) return path;
  const own = turns.filter(({ session_path }) => session_path === path).map(({ turn_ref }) => turn_ref);
  return `${path} (${own[0]}–${own.at(-1)})`;
}

/** The first and the last request. */
function goals(turns: readonly RecordedRequest[], longest: number): Line[] {
  return [...new Set([turns[0], turns.at(-1)])].flatMap((turn) =>
    turn === undefined ? [] : [{ text: cut(turn.trigger.text, longest), citation: at(turn, turn.trigger.line) }],
  );
}

/** Notes on the session and on the reported turns. */
function notesOf({ session, turns }: HandoffInput, longest: number): Line[] {
  const shown = new Set(turns.map(({ turn_ref }) => turn_ref));
  const { notes = [], turns: marked = [] } = session.marks ?? {};
  return [
    ...notes.map(({ text }) => ({ text: cut(text, longest), citation: null })),
    ...marked
      .filter(({ turn_ref }) => shown.has(turn_ref))
      .flatMap((turn) => turn.notes.map(({ text }) => ({ text: cut(text, longest), citation: turn.turn_ref }))),
  ];
}

const ENDED: Readonly<Record<RecordedRequest["outcome"], string>> = {
  completed: "the last request was completed",
  aborted: "the last request was interrupted",
  failed: "the last request failed",
  open: "nothing says how the last request ended: it was cut off, or is still at work",
};

function stateOf(turn: RecordedRequest | undefined, longest: number): Line[] {
  if (!turn) return [];
  const { outcome, outcome_detail, last_check, last_words } = turn;
  const detail = outcome_detail === null ? "" : `: ${oneLine(outcome_detail, LINE)}`;
  return [
    { text: `${ENDED[outcome]}${detail}`, citation: turn.citation },
    ...(last_check
      ? [
          {
            text: `last check ${last_check.result}: ${oneLine(last_check.command, LINE)}`,
            citation: at(turn, last_check.line),
          },
        ]
      : []),
    ...(last_words
      ? [{ text: `last said by the agent:\n${cut(last_words.text, longest)}`, citation: at(turn, last_words.line) }]
      : []),
  ];
}

function todosOf(turns: readonly RecordedRequest[]): Line[] {
  const turn = turns.findLast(({ todos }) => todos !== null);
  if (!turn?.todos) return [];
  const { items, line } = turn.todos;
  const done = items.filter(({ status }) => status === "completed").length;
  const open = items.filter(({ status }) => status !== "completed");
  const lines = open.map(({ text, status }) => `[${status === "in_progress" ? ">" : " "}] ${oneLine(text, LINE)}`);
  return [...lines, `${done} of ${items.length} done`].map((text) => ({ text, citation: at(turn, line) }));
}

function decisionsOf(decisions: readonly Decision[]): Line[] {
  return decisions.map(({ title, answered, choice, free_text, recommended, turn_ref, answered_line, asked_line }) => {
    const said = [choice, free_text].filter((part) => part !== null && part !== "").join("; ");
    const answer = answered ? oneLine(said || "answered", LINE) : "not answered";
    const advice = recommended !== null && recommended !== choice ? ` (recommended: ${oneLine(recommended, 120)})` : "";
    const line = answered_line ?? asked_line;
    return {
      text: `${oneLine(title, LINE)} → ${answer}${advice}`,
      citation: turn_ref === null ? null : line === null ? turn_ref : `${turn_ref}:${line}`,
    };
  });
}

/** Turns and calls that did not succeed, with the reason. */
function failuresOf(turn: RecordedRequest): Line[] {
  const { outcome, outcome_detail, trigger, tool_problems, fell_short } = turn;
  const short = fell_short ?? (outcome === "completed" ? null : (outcome_detail ?? outcome));
  const calls = tool_problems.map(({ name, about, status, exit_code, error, line }) => {
    const how = exit_code === null || exit_code === 0 ? status : `${status}, exit ${exit_code}`;
    const why = error === null || error.trim() === "" ? "" : `: ${oneLine(error, LINE)}`;
    return { text: `${how}: ${oneLine(`${name} ${about}`, LINE)}${why}`, citation: at(turn, line) };
  });
  if (short === null) return calls;
  const asked = oneLine(askedLine(trigger.text), 120);
  return [...calls, { text: `request ${outcome}: ${asked}: ${oneLine(short, LINE)}`, citation: turn.citation }];
}

function gitOf({ turns, branch, commit }: HandoffInput): Line[] {
  const began =
    branch === null && commit === null
      ? []
      : [`on ${branch ?? "no branch"} at ${commit ?? "an unknown commit"}, as the last request began`];
  const made = turns.flatMap((turn) =>
    turn.commits.map(({ hash, branch: on, subject, amended, line }) => ({
      text: [
        `${amended ? "amended" : "committed"} ${hash ?? "(hash not printed)"}`,
        ...(on === null ? [] : [`on ${oneLine(on, 120)}`]),
        oneLine(subject ?? "(subject not recorded)", LINE),
      ].join(" "),
      citation: at(turn, line),
    })),
  );
  return [...made, ...began.map((text) => ({ text: oneLine(text, LINE), citation: turns.at(-1)?.turn_ref ?? null }))];
}

/** Each file once, cited by the turn that touched it last. */
function filesOf(turns: readonly RecordedRequest[]): Line[] {
  const files = new Map<string, { line: Line; turns: number }>();
  for (const turn of turns) {
    for (const path of new Set(turn.files.map((file) => file.path))) {
      const last = turn.files.findLast((file) => file.path === path);
      if (!last) continue;
      const times = (files.get(path)?.turns ?? 0) + 1;
      const often = times === 1 ? "" : ` (${times} requests)`;
      files.delete(path);
      const cited = last.by === null && last.line !== null ? at(turn, last.line) : turn.turn_ref;
      files.set(path, {
        turns: times,
        line: { text: `${last.operation} ${oneLine(path, LINE)}${often}`, citation: cited },
      });
    }
  }
  return [...files.values()].map(({ line }) => line);
}

function requestOf(turn: RecordedRequest): Line {
  const { trigger, outcome, taken_back, result } = turn;
  const how = taken_back === null ? outcome : `${outcome}, taken back`;
  const came = result === null ? "" : ` → ${oneLine(result.text, 200)}`;
  return { text: `${oneLine(askedLine(trigger.text), 200)} [${how}]${came}`, citation: at(turn, trigger.line) };
}

function at({ turn_ref }: RecordedRequest, line: number): string {
  return `${turn_ref}:${line}`;
}

function cut(text: string, longest: number): string {
  const whole = text.trim();
  if (whole.length <= longest) return whole;
  const more = whole.length - longest;
  // Do not cut a surrogate pair in half.
  return `${whole.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}\n[… ${more} more characters]`;
}
