import { checkOf } from "../../views/facts/checks.ts";
import { commandText } from "../../base/shell/commands.ts";
import { inputSummary } from "../../base/text/input-summary.ts";
import { keyOfSession, parseSessionKey } from "../../record/session-key.ts";
import { order } from "../../base/text/order.ts";
import type { ToolView } from "../../views/tool-view.ts";
import type { AnswerContext } from "../answer-context.ts";
import type { IndexRows } from "../../index/tables/index-rows.ts";
import { report } from "../report.ts";
import type { DayReport, LooseEnd, ReportTurn } from "../report/model.ts";
import { kindsDone, kindsOf, type Act } from "./acts.ts";
import type { DayDigest, DigestTurn, OpenBefore } from "./model.ts";
import { withText } from "./text.ts";

/** The digest of one day: of all projects, with secrets hidden. */
export async function dayDigest(ctx: AnswerContext, date: string): Promise<DayDigest> {
  const made = await report(ctx, { date });
  const rows = ctx.rows({});
  const sessions = new Map<string, string>();
  const listed = made.projects
    .flatMap((project) => project.turns.map((turn) => ({ project: project.project, turn })))
    .filter(({ turn }) => turn.taken_back === null)
    .toSorted((a, b) => order(a.turn.time, b.turn.time) || order(a.turn.citation, b.turn.citation));
  const turns = listed.map(({ project, turn }, i): DigestTurn => {
    const key = keyOfSession(turn.source, turn.session_id);
    if (!sessions.has(key)) sessions.set(key, `s${sessions.size + 1}`);
    return {
      name: `t${i + 1}`,
      session: sessions.get(key) ?? "",
      source: turn.source,
      session_id: turn.session_id,
      turn_ref: turn.turn_ref,
      project,
      time: turn.time,
      clock: turn.local_time.slice(11, 16),
      cwd: turn.cwd,
      isAutomated: turn.trigger.entry === "automated",
      outcome: turn.outcome,
      request: turn.trigger.text ?? "",
      reply: turn.last_words?.text ?? "",
      acts: actsOf(ctx, rows, key, turn.turn_ref),
      files: turn.files ?? [],
      commits: turn.commits ?? [],
      lastCheck: turn.last_check,
      questions: questionsOf(made, turn),
      todos: (turn.todos?.items ?? []).map(({ text, status }) => ({ text, isDone: status === "completed" })),
      sent: [],
    };
  });
  return withText({ day: made.span.since, timezone: made.span.timezone, turns, open: openBefore(made) });
}

/** Calls of the turn and of all sessions it caused, in order. */
function actsOf(ctx: AnswerContext, rows: IndexRows, key: string, ref: string): Act[] {
  const own = callsOf(ctx, key).filter(({ turn_ref }) => turn_ref === ref);
  const below = (rows.turn(key, ref)?.below ?? []).flatMap((child) =>
    callsOf(ctx, child).map((call) => actOf(ctx, call, parseSessionKey(child).session_id)),
  );
  return [...own.map((call) => actOf(ctx, call, null)), ...below].toSorted((a, b) =>
    order(a.time ?? "~", b.time ?? "~"),
  );
}

function callsOf({ index }: AnswerContext, key: string): ToolView[] {
  return index.queries.tools({ key, range: { start: null, end: null } }, {});
}

function actOf({ redactor }: AnswerContext, call: ToolView, by: string | null): Act {
  const name = call.name ?? "";
  const command = commandText(name, call.input);
  const isCheck = command !== "" && checkOf(name, call.input) !== null;
  // An ordinary answer, such as a search without a hit, is no failure.
  const status = call.expected_exit === true ? "ok" : call.status;
  return {
    line: call.start_line,
    time: call.started_at,
    by,
    name,
    command: redactor.text(command),
    about: redactor.text(inputSummary(call.input)),
    status,
    exit_code: call.exit_code,
    does: command === "" ? [] : kindsOf(command, isCheck),
    did: command === "" || status !== "ok" ? [] : kindsDone(command),
  };
}

function questionsOf({ decisions }: DayReport, turn: ReportTurn): DigestTurn["questions"] {
  const answered = decisions
    .filter(({ session_id, turn_ref }) => session_id === turn.session_id && turn_ref === turn.turn_ref)
    .map(({ title, choice, free_text }) => ({ question: title ?? "", answer: choice ?? free_text }));
  const known = new Set(answered.map(({ question }) => question));
  const waiting = (turn.questions ?? [])
    .filter(({ answered: isAnswered, question }) => !isAnswered && !known.has(question))
    .map(({ question }) => ({ question, answer: null }));
  return [...answered, ...waiting];
}

/** What is open says little without its kind: it is a command, a file, a question. A turn that was cut off has neither. */
function endText({ kind, text, asked }: LooseEnd): string {
  return `${kind}: ${text === null || text === "" ? asked : text}`;
}

function isSame(one: Place, other: Place): boolean {
  return one.session_id === other.session_id && one.turn_ref === other.turn_ref;
}

type Place = Pick<OpenBefore, "day" | "project" | "source" | "session_id" | "turn_ref">;

/** What earlier days left open: by the records, and by what a model read. A turn is listed once. */
function openBefore({ carried_over, read_by_model }: DayReport): OpenBefore[] {
  const read = read_by_model?.carried ?? [];
  const ends = carried_over ?? [];
  const all: Omit<OpenBefore, "name">[] = [
    ...ends
      .filter((end) => !read.some((point) => isSame(end, point)))
      .map((end) => ({ ...placeOf(end), text: endText(end), point: null, end })),
    ...read.map((point) => ({
      ...placeOf(point),
      text: point.why,
      point,
      end: ends.find((end) => isSame(end, point)) ?? null,
    })),
  ];
  return all
    .toSorted((a, b) => order(a.day, b.day) || order(a.session_id, b.session_id) || order(a.turn_ref, b.turn_ref))
    .map((one, i) => ({ name: `O${i + 1}`, ...one }));
}

function placeOf({ day, project, source, session_id, turn_ref }: Place): Place {
  return { day, project, source, session_id, turn_ref };
}
