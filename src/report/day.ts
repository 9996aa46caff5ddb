import { PriceTable } from "../answers/pricing/price-table.ts";
import type { Naming } from "../answers/projects/projects.ts";
import type { LostPrompt } from "../answers/lost-view.ts";
import type { Diagnostic } from "../sources/contract.ts";
import type { Zone } from "../time/zone.ts";
import { within, type TimeRange } from "../time/range.ts";
import type { Session, Turn } from "../turns/session.ts";
import { auditReport } from "../answers/audit-view.ts";
import { descendants } from "../answers/turn-view.ts";
import { itemsOf as usageItems, usageReport } from "../answers/usage-view.ts";
import { citeLine, order, sessionRefs } from "./citations.ts";
import { contextTrail } from "./context.ts";
import { daysOf, sumsBefore } from "./days.ts";
import { diagnosticsOf } from "./diagnostics.ts";
import { projectNaming } from "./groups.ts";
import { itemsOf } from "./items.ts";
import { leftOver } from "./left-over.ts";
import type { Work } from "./loose/glimpse.ts";
import type { Balance, DayReport, ProjectReport, ReportChange, PlacedDecision, SessionFacts } from "./model.ts";
import { addTools, Spending, spending, tokensOf, toolsWithChildren, totalsOf, type SpentTokens } from "./sums.ts";
import { reportTurn } from "./turn.ts";
import { rangeOf, type Span, type WorkTimes } from "./window.ts";

export interface ReportInput {
  /** Everything that may count in the span: sessions cause one another across projects. */
  sessions: readonly Session[];
  /** Those asked for, also those that worked only in the days `daysBefore` names. */
  chosen: readonly Session[];
  span: Span;
  zone: Zone;
  now: number;
  prices: PriceTable;
  projectOf: (session: Session) => { project: string; project_key: string };
  /** What all sessions are called after, also those that are not in the span. */
  namings: Iterable<Naming>;
  titleOf: (session: Session) => string | null;
  /** Facts of a session's turns: from its records, or from an index that kept them. */
  facts: (session: Session) => SessionFacts;
  /** Hides secrets: a sentence taken out of a text may lack the words by which its secret is known. */
  hide: (text: string) => string;
  /** The turns of the chosen sessions, also of days before: who left something there, and who came back to it. */
  work: Work;
  /** Files and roots that could not be read. */
  unreadable: readonly Diagnostic[];
  /** Prompts of the span that only an input history has. */
  lost: readonly LostPrompt[];
}

/** First and newest trigger of some sessions. */
export function workTimes(sessions: readonly Session[]): WorkTimes {
  const times = sessions.flatMap((session) => session.turns.flatMap((turn) => turn.draft.trigger.time ?? []));
  return {
    first: times.reduce<number | null>((min, time) => (min === null || time < min ? time : min), null),
    newest: times.reduce<number | null>((max, time) => (max === null || time > max ? time : max), null),
  };
}

/** The turns of a span, in the order of their sessions, whatever order they were found in. */
export function listTurns(chosen: readonly Session[], span: Span): Set<Turn> {
  const range = rangeOf(span);
  const inOrder = chosen.toSorted(bySession);
  return new Set(inOrder.flatMap((session) => session.turns.filter((turn) => timely(turn, range))));
}

/** The report of a span: every trigger in it exactly once, and everything derived from those turns. */
export function dayReport(input: ReportInput): DayReport {
  const { sessions, chosen, span, prices, projectOf } = input;
  const range = rangeOf(span);
  const listed = listTurns(chosen, span);
  const naming = projectNaming(input.namings);
  const nameOf = remember((session: Session) => naming(projectOf(session)));
  const dayOf = span.kind === "day" ? null : (time: number): string => input.zone.day(time);
  const spent = spending(sessions, listed, new Set(chosen), range, prices, nameOf, dayOf);
  const draft: Draft = { ...input, nameOf, listed, spent, facts: remember(input.facts) };

  const names = new Set([...[...listed].map((turn) => nameOf(turn.session)), ...spent.byProject.keys()]);
  const drafts = [...names].map((name) => draftProject(name, draft));
  drafts.sort((a, b) => order(firstTime(a.report), firstTime(b.report)) || order(a.report.project, b.report.project));
  const projects = drafts.map(({ report }) => report);
  const units = [...listed].flatMap((turn) => [turn.session, ...descendants(turn)]);
  const touched = [...new Set(units)].toSorted(bySession);
  const refs = new Map(drafts.flatMap((project) => [...project.refs]));
  const left = leftOver({ ...input, nameOf: naming, facts: draft.facts, refs });

  return {
    schema_version: 1,
    span,
    totals: totalsOf(projects, addTools(projects.map((project) => project.totals.tools)), spent.all),
    days: daysOf(input, projects, spent),
    before: sumsBefore({ ...input, facts: draft.facts }),
    balance: balanceOf(draft, range, projects, touched),
    projects,
    decisions: drafts.flatMap((project) => project.decisions).toSorted(byTime),
    loose_ends: left.own,
    carried_over: left.carried,
    changes: drafts.flatMap(({ changes }) => changes),
    diagnostics: diagnosticsOf(touched, chosen, input.unreadable, input.lost),
  };
}

interface Draft extends ReportInput {
  nameOf: (session: Session) => string;
  listed: ReadonlySet<Turn>;
  spent: SpentTokens;
}

interface ProjectDraft {
  report: ProjectReport;
  refs: ReadonlyMap<Session, string>;
  changes: ReportChange[];
  decisions: PlacedDecision[];
}

function draftProject(project: string, draft: Draft): ProjectDraft {
  const { zone, prices, facts, hide, listed, nameOf, projectOf, titleOf } = draft;
  const mine = [...listed].filter((turn) => nameOf(turn.session) === project).toSorted(byTrigger);
  const refs = sessionRefs(new Set(mine.map((turn) => turn.session)));
  const turns = mine.map((turn) =>
    reportTurn({
      turn,
      sessionRef: refs.get(turn.session) ?? "",
      zone,
      prices,
      spent: draft.spent.byTurn.get(turn),
      costs: draft.spent.costs,
      facts,
      hide,
    }),
  );
  const sessions = [...refs].map(([session, session_ref]) => ({
    session_ref,
    source: session.source,
    session_id: session.session_id,
    session_path: session.path,
    title: titleOf(session),
    agent_version: session.meta.agent_version,
    turns: mine.filter((turn) => turn.session === session).length,
  }));
  const spent = draft.spent.byProject.get(project) ?? { all: new Spending(prices), other: new Spending(prices) };
  const tools = addTools(mine.map(toolsWithChildren));
  return {
    report: {
      project,
      project_keys: distinct([...refs.keys()].map((session) => projectOf(session).project_key)),
      cwds: distinct(turns.flatMap((turn) => turn.cwd ?? [])),
      sessions,
      turns,
      items: itemsOf(turns, project, hide),
      totals: totalsOf([{ sessions, turns }], tools, spent.all),
      other_usage: spent.other.view(),
    },
    refs,
    decisions: [...refs].flatMap(([session, ref]) => decisionsIn(project, ref, mine, session, facts)),
    changes: [...refs].flatMap(([session, ref]) => changesIn(project, session, ref, listed)).toSorted(byTime),
  };
}

/** A decision belongs to the day of the turn that asked. */
function decisionsIn(
  project: string,
  ref: string,
  turns: readonly Turn[],
  session: Session,
  facts: ReportInput["facts"],
): PlacedDecision[] {
  const refs = new Set(turns.filter((turn) => turn.session === session).map((turn) => turn.ref));
  return facts(session).decisions.flatMap((decision) => {
    const { turn_ref, asked_line } = decision;
    if (turn_ref === null || !refs.has(turn_ref)) return [];
    return [{ ...decision, project, turn_ref, citation: citeLine(ref, turn_ref, asked_line ?? 0) }];
  });
}

/** Settings that say how an agent may work; where it works is told by the turns themselves. */
const RULING = new Set<string>(["model", "effort", "approval_policy", "sandbox", "network"]);

function changesIn(project: string, session: Session, ref: string, listed: ReadonlySet<Turn>): ReportChange[] {
  const { source, session_id } = session;
  return contextTrail(session)
    .filter(({ turn }) => listed.has(turn))
    .flatMap(({ turn, shifts }) =>
      shifts
        .filter(({ field }) => RULING.has(field))
        .map(({ field, from, to, line, time }) => {
          const citation = citeLine(ref, turn.ref, line);
          return { project, time, citation, source, session_id, turn_ref: turn.ref, field, from, to };
        }),
    );
}

/** For counts of tokens, which cost nothing. */
const NO_PRICES = new PriceTable([]);

/** Adds up what the report lists and compares it with a count made another way. */
function balanceOf(
  draft: Draft,
  range: TimeRange,
  projects: readonly ProjectReport[],
  touched: readonly Session[],
): Balance {
  const { spent, zone } = draft;
  const chosen = new Set(draft.chosen);
  const asked = draft.sessions.map((session) => ({
    ...session,
    usage: session.usage.filter(({ owner }) => chosen.has(owner?.session ?? session)),
  }));
  const query = { group: "daily", by: "trigger", breakdown: false, order: "asc", range, zone } as const;
  const usage = tokensOf(usageReport(usageItems(asked), query, NO_PRICES).totals);
  const overTurns = projects
    .flatMap((project) => project.turns)
    .reduce((n, turn) => n + tokensOf(turn.usage_with_children), 0);
  const overProjects = projects.reduce((n, project) => n + tokensOf(project.totals.usage), 0);
  const other = projects.reduce((n, project) => n + tokensOf(project.other_usage), 0);
  const problems: string[] = [];
  const expect = (what: string, a: number, b: number): void => {
    if (a !== b) problems.push(`${what}: ${a} is not ${b}`);
  };
  expect("tokens of turns and the rest against the total", overTurns + other, spent.all.tokens);
  expect("tokens of projects against the total", overProjects, spent.all.tokens);
  expect("tokens of usage by trigger against the total", usage, spent.all.tokens);
  expect(
    "turns listed against triggers",
    projects.reduce((n, p) => n + p.turns.length, 0),
    draft.listed.size,
  );
  const audit = auditReport(touched, zone);
  for (const session of audit.sessions) problems.push(...session.problems.map((p) => `${session.session_id}: ${p}`));
  return {
    turn_tokens: overTurns,
    other_tokens: other,
    total_tokens: spent.all.tokens,
    usage_tokens: usage,
    records_read: audit.totals.records.records_read,
    balanced: problems.length === 0,
    problems,
  };
}

/** Each session is asked once, however many of its turns are listed. */
function remember<T>(ask: (session: Session) => T): (session: Session) => T {
  const known = new Map<Session, T>();
  return (session) => {
    let facts = known.get(session);
    if (facts === undefined) known.set(session, (facts = ask(session)));
    return facts;
  };
}

function timely(turn: Turn, range: TimeRange): boolean {
  return turn.draft.trigger.time !== null && within(range, turn.draft.trigger.time);
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

function bySession(a: Session, b: Session): number {
  return order(a.source, b.source) || order(a.session_id, b.session_id) || order(a.path, b.path);
}

function byTrigger(a: Turn, b: Turn): number {
  return (
    (a.draft.trigger.time ?? 0) - (b.draft.trigger.time ?? 0) || bySession(a.session, b.session) || order(a.ref, b.ref)
  );
}
