import { mergeMarks } from "../../views/marks.ts";
import { PriceTable } from "../../views/pricing/price-table.ts";
import type { LostPrompt } from "../../views/lost-view.ts";
import type { AnswerRows, ReportRow, ReportRows, TurnRow } from "../../views/rows.ts";
import type { TurnView } from "../../views/turn-view.ts";
import { usageReport, type UsageItem } from "../../views/usage-view.ts";
import type { Diagnostic } from "../../agents/contract.ts";
import type { Zone } from "../../base/time/zone.ts";
import type { TimeRange } from "../../base/time/range.ts";
import { turnIndexOf } from "../../turns/session.ts";
import { citeLine } from "./citations.ts";
import { daysOf, sumsBefore } from "./days.ts";
import { diagnosticsOf } from "./diagnostics.ts";
import { addContext } from "./follow-up.ts";
import { projectNaming } from "./groups.ts";
import { itemsOf } from "./items.ts";
import { looseEndsOfSpan } from "./span-loose-ends.ts";
import type { Balance, DayReport, ProjectReport, ReportChange, PlacedDecision, FoundFacts } from "./model.ts";
import { notPushed } from "./not-pushed.ts";
import { addTools, usageOfSelected, Spending, sumSpending, totalsOf, type SpentTokens } from "./sums.ts";
import { reportTurn, type CountedReport } from "./turn.ts";
import { rangeOf, type Span } from "./window.ts";
import { order } from "../../base/text/order.ts";
import { sumOfTotals, totalTokens } from "../../record/tokens.ts";
import { parseSessionKey, turnKeyIn } from "../../record/session-key.ts";

export interface ReportInput {
  /** Rows of the sessions asked for, and of all sessions these depend on. */
  rows: AnswerRows;
  span: Span;
  zone: Zone;
  now: number;
  prices: PriceTable;
  /** Facts about a session's turns, from its records or from the index. */
  facts: (session: string) => FoundFacts;
  /**
   * Redacts secrets. Applied to a whole text before a sentence is taken from it: the sentence alone may lack the words
   * that identify a secret.
   */
  hide: (text: string) => string;
  /** Files and roots that could not be read. */
  unreadable: readonly Diagnostic[];
  /** Prompts of the span that are found only in an agent's input history, not in a session. */
  lost: readonly LostPrompt[];
}

/** The report of a span: every trigger in it exactly once, and everything derived from those turns. */
export function dayReport(input: ReportInput): DayReport {
  const { rows, span, prices } = input;
  const range = rangeOf(span);
  const { turns: listed, sessions } = rows.reported(rows.turnsIn(range));
  const naming = projectNaming(rows.namings());
  const items = usageOfSelected(rows, range);
  const projectOf = cachedBySession((key) => naming(rows.session(key) ?? NO_PROJECT));
  const dayOf = span.kind === "day" ? null : (time: number): string => input.zone.day(time);
  const spent = sumSpending(items, { listed: new Set(listed.map(nameOf)), range, projectOf, dayOf }, prices);
  const draft: Draft = { ...input, naming, listed, sessions, spent, facts: cachedBySession(input.facts) };

  const names = new Set([...listed.map(naming), ...spent.byProject.keys()]);
  const drafts = [...names].map((name) => draftProject(name, draft));
  drafts.sort((a, b) => order(firstTime(a.report), firstTime(b.report)) || order(a.report.project, b.report.project));
  const projects = drafts.map(({ report }) => report);
  const reported = drafts.flatMap(({ turns }) => turns);
  const units = listed.flatMap(({ session, below }) => [session, ...below]);
  const touched = [...new Set(units)].toSorted(bySession);
  const left = looseEndsOfSpan({ ...draft, nameOf: naming });

  return {
    schema_version: 1,
    span,
    totals: totalsOf(projects, {
      tools: addTools(projects.map((project) => project.totals.tools)),
      counted: reported.map(({ counted }) => counted),
      spent: spent.all,
    }),
    days: daysOf(input, reported, spent),
    before: sumsBefore(draft),
    balance: balanceOf(draft, items, range, projects, touched),
    projects,
    decisions: drafts.flatMap((project) => project.decisions).toSorted(byTime),
    loose_ends: left.own,
    carried_over: left.carried,
    said_open: left.said,
    // Kept beside the index: whoever asks for the report adds it.
    read_by_model: null,
    changes:
      listed.length > 0 && listed.every(({ view }) => hasOnlyTotals(view))
        ? null
        : drafts.flatMap(({ changes }) => changes),
    diagnostics: diagnosticsOf(touched, rows, input.unreadable, input.lost),
    ...notPushed(reported, touched, rows),
  };
}

/** Whether only numbers were pushed for the turn. */
function hasOnlyTotals({ not_pushed }: TurnView): boolean {
  return not_pushed?.level === "totals";
}

type LineOwner = Pick<TurnRow, "session" | "ref">;

/** Stands in for a session that has no row. */
const NO_PROJECT = { project: "", project_key: "" };

interface Draft extends ReportInput {
  /** Maps a project to its name in the report. */
  naming: ReturnType<typeof projectNaming>;
  listed: readonly ReportRow[];
  sessions: ReportRows["sessions"];
  spent: SpentTokens;
}

interface ProjectDraft {
  report: ProjectReport;
  turns: readonly CountedReport[];
  changes: ReportChange[];
  decisions: PlacedDecision[];
}

function draftProject(project: string, draft: Draft): ProjectDraft {
  const { rows, sessions: known, prices, facts, hide, naming } = draft;
  const mine = draft.listed.filter((turn) => naming(turn) === project).toSorted(byTrigger);
  const refs = new Map(mine.map(({ session }) => [session, rows.shortId(session)]));
  const reported = mine.map((turn) => {
    const spent = draft.spent.byTurn.get(nameOf(turn));
    return reportTurn({ ...draft, turn, sessionRef: refs.get(turn.session) ?? "", spent, facts, hide });
  });
  const turns = reported.map(({ turn }) => turn);
  const sessions = [...refs].flatMap(([key, session_ref]) => {
    const view = known.get(key)?.view;
    if (!view) return [];
    const { source, session_id, session_path, title, agent_version } = view;
    const marks = mergeMarks(view.marks, null);
    const count = mine.filter(({ session }) => session === key).length;
    return [{ session_ref, source, session_id, session_path, title, agent_version, turns: count, marks }];
  });
  const spent = draft.spent.byProject.get(project) ?? { all: new Spending(prices), other: new Spending(prices) };
  return {
    report: {
      project,
      project_keys: distinct([...refs.keys()].flatMap((key) => known.get(key)?.view?.project_key ?? [])),
      cwds:
        mine.length > 0 && mine.every(({ view }) => hasOnlyTotals(view))
          ? null
          : distinct(turns.flatMap((turn) => turn.cwd ?? [])),
      sessions,
      turns: addContext(turns, hide),
      items: itemsOf(turns, project, hide),
      totals: totalsOf([{ sessions, turns }], {
        tools: addTools(reported.map(({ tools }) => tools)),
        counted: reported.map(({ counted }) => counted),
        spent: spent.all,
      }),
      other_usage: spent.other.view(),
    },
    turns: reported,
    decisions: [...refs].flatMap(([session, ref]) => decisionsIn(project, ref, mine, session, facts)),
    changes: [...refs].flatMap(([session, ref]) => changesIn(project, ref, mine, session, rows)).toSorted(byTime),
  };
}

/** A decision belongs to the day of the turn that asked. */
function decisionsIn(
  project: string,
  ref: string,
  turns: readonly LineOwner[],
  session: string,
  facts: ReportInput["facts"],
): PlacedDecision[] {
  const refs = new Set(turns.filter((turn) => turn.session === session).map((turn) => turn.ref));
  return facts(session).decisions.flatMap((decision) => {
    const { turn_ref, asked_line } = decision;
    if (turn_ref === null || !refs.has(turn_ref)) return [];
    return [
      {
        ...decision,
        project,
        turn_ref,
        citation: citeLine(ref, turn_ref, asked_line ?? (decision.not_pushed ? null : 0)),
      },
    ];
  });
}

/** Settings that govern how an agent may work. Its directory is left out: the turns themselves show it. */
const RULING = new Set<string>(["model", "effort", "approval_policy", "sandbox", "network"]);

function changesIn(
  project: string,
  ref: string,
  turns: readonly ReportRow[],
  session: string,
  rows: AnswerRows,
): ReportChange[] {
  const ruled = rows.settings(session);
  const own = turns.filter((turn) => turn.session === session).map((turn) => ({ turn, at: turnIndexOf(turn.ref) }));
  return own
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ turn }) => {
      const { source, session_id, turn_ref } = turn.view;
      return ruled(turn_ref)
        .changes.filter(({ field }) => RULING.has(field))
        .map(({ field, from, to, line, time }) => {
          const citation = citeLine(ref, turn_ref, line);
          return { project, time, citation, source, session_id, turn_ref, field, from, to };
        });
    });
}

/** For sums in which only the tokens matter. */
const NO_PRICES = new PriceTable([]);

/** Adds up what the report lists and compares it with an independent count. */
function balanceOf(
  { rows, spent, listed, zone }: Draft,
  items: readonly UsageItem[],
  range: TimeRange,
  projects: readonly ProjectReport[],
  touched: readonly string[],
): Balance {
  const query = { group: "daily", by: "trigger", breakdown: false, order: "asc", range, zone } as const;
  const usage = totalTokens(usageReport(items, query, NO_PRICES).totals);
  const turns = projects.flatMap((project) => project.turns);
  const overTurns = sumOfTotals(turns.map((turn) => turn.usage_with_children));
  const overProjects = sumOfTotals(projects.map((project) => project.totals.usage));
  const other = sumOfTotals(projects.map((project) => project.other_usage));
  const problems: string[] = [];
  const expect = (what: string, a: number, b: number): void => {
    if (a !== b) problems.push(`${what}: ${a} is not ${b}`);
  };
  expect("tokens of turns and the rest against the total", overTurns + other, spent.all.tokens);
  expect("tokens of projects against the total", overProjects, spent.all.tokens);
  expect("tokens of usage by trigger against the total", usage, spent.all.tokens);
  expect("turns listed against triggers", turns.length, listed.length);
  const audits = touched.flatMap((key) => rows.audit(key) ?? []);
  // Sessions pushed at level `totals` carry no audit: whether their records add up is unknown.
  const isWhole = touched.every((key) => rows.session(key)?.not_pushed?.level !== "totals");
  for (const session of audits) problems.push(...session.problems.map((p) => `${session.session_id}: ${p}`));
  return {
    turn_tokens: overTurns,
    other_tokens: other,
    total_tokens: spent.all.tokens,
    usage_tokens: usage,
    records_read: isWhole ? audits.reduce((sum, { records }) => sum + records.records_read, 0) : null,
    balanced: problems.length > 0 ? false : isWhole || null,
    problems: problems.length > 0 || isWhole ? problems : null,
  };
}

/** Caches the facts of each session, however many of its turns are listed. */
function cachedBySession<T>(ask: (session: string) => T): (session: string) => T {
  const known = new Map<string, T>();
  return (session) => {
    let facts = known.get(session);
    if (facts === undefined) known.set(session, (facts = ask(session)));
    return facts;
  };
}

function nameOf({ session, ref }: LineOwner): string {
  return turnKeyIn(session, ref);
}

function distinct(list: readonly string[]): string[] {
  return [...new Set(list)].toSorted(order);
}

function firstTime(project: ProjectReport): string {
  return project.turns[0]?.time ?? "~";
}

type Timed = Pick<ReportChange, "time" | "project" | "session_id">;

function byTime(a: Timed, b: Timed): number {
  return order(a.time ?? "", b.time ?? "") || order(a.project, b.project) || order(a.session_id, b.session_id);
}

function bySession(a: string, b: string): number {
  const [one, other] = [parseSessionKey(a), parseSessionKey(b)];
  return order(one.source, other.source) || order(one.session_id, other.session_id);
}

function byTrigger(a: LineOwner & Pick<TurnRow, "time">, b: typeof a): number {
  return (a.time ?? 0) - (b.time ?? 0) || bySession(a.session, b.session) || order(a.ref, b.ref);
}
