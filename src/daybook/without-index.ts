import { holdsText } from "../answers/list-filter.ts";
import { glanceOf, type SessionEnds, type TurnGlance } from "../answers/glance.ts";
import type { SessionView } from "../answers/session-view.ts";
import type { ToolChoice } from "../answers/tool-list.ts";
import type { TurnView } from "../answers/turn-view.ts";
import { jsonValue, type AnswerContext } from "./answer-context.ts";
import { count, type CountedList } from "./count.ts";
import type { ListQuery } from "./questions.ts";
import { sessionEnds, sessions, sessionTexts } from "./sessions.ts";
import { glances, turns, turnTexts } from "./turns.ts";
import { sessionKey } from "../format/session-key.ts";
import type { JsonValue } from "../redact/redact.ts";
import { order } from "../text/order.ts";

/*
 * The filters of lists where there is no index to ask: what `store/tables/list-conditions.ts` says in SQL, over views
 * made from the files.
 */

export async function sessionsOf(ctx: AnswerContext, query: ListQuery): Promise<SessionView[]> {
  return ctx.snapshot.index ? sessions(ctx, query) : sessionsInFiles(ctx, query);
}

export async function sessionTextsOf(ctx: AnswerContext, query: ListQuery): Promise<JsonValue[]> {
  return ctx.snapshot.index ? sessionTexts(ctx, query) : (await sessionsInFiles(ctx, query)).map(jsonValue);
}

export async function turnsOf(ctx: AnswerContext, query: ListQuery): Promise<TurnView[]> {
  return ctx.snapshot.index ? turns(ctx, query) : turnsInFiles(ctx, query);
}

export async function turnTextsOf(ctx: AnswerContext, query: ListQuery): Promise<JsonValue[]> {
  return ctx.snapshot.index ? turnTexts(ctx, query) : (await turnsInFiles(ctx, query)).map(jsonValue);
}

export async function glancesOf(ctx: AnswerContext, query: ListQuery, withFiles: boolean): Promise<TurnGlance[]> {
  if (ctx.snapshot.index) return glances(ctx, query, withFiles);
  return (await turnsInFiles(ctx, { ...query, limit: undefined })).map((turn) => glanceOf(turn, withFiles));
}

/** The length of a list without its limit. */
export async function countOf(ctx: AnswerContext, list: CountedList, query: ListQuery & ToolChoice): Promise<number> {
  if (ctx.snapshot.index || list === "tools") return count(ctx, list, query);
  const all = { ...query, limit: undefined, offset: undefined };
  return (await (list === "sessions" ? sessionsInFiles(ctx, all) : turnsInFiles(ctx, all))).length;
}

async function sessionsInFiles(ctx: AnswerContext, query: ListQuery): Promise<SessionView[]> {
  const { limit = Infinity, offset = 0, sort = "newest", outcome, text } = query;
  const all = await sessions(ctx, { ...query, limit: undefined });
  const isOfTurns = outcome !== undefined || text !== undefined;
  const ends = isOfTurns ? await sessionEnds(ctx, all) : [];
  const chosen = all.filter((one, i) => isChosenSession(one, ends[i], query));
  return (sort === "newest" ? chosen : chosen.toSorted(ORDER[sort])).slice(offset, offset + limit);
}

function isChosenSession(one: SessionView, ends: SessionEnds | undefined, query: ListQuery): boolean {
  const { source, model, outcome, failures, min_cost, text, children } = query;
  const request = ends?.first?.trigger.text ?? null;
  return (
    (children !== false || one.kind === "root") &&
    (source === undefined || one.source === source) &&
    (model === undefined || one.models.includes(model)) &&
    (outcome === undefined || ends?.last?.outcome === outcome) &&
    (failures !== true || one.tools.failed > 0) &&
    (min_cost === undefined || (one.usage.cost_usd ?? 0) >= min_cost) &&
    (text === undefined || holdsText({ request, others: [one.title, one.project, one.session_id] }, text))
  );
}

async function turnsInFiles(ctx: AnswerContext, query: ListQuery): Promise<TurnView[]> {
  const { source, model, outcome, failures, min_cost, text, children, limit } = query;
  const found = await turns(ctx, { ...query, limit: undefined });
  const needsSessions = text !== undefined || children === false;
  const owners = new Map(needsSessions ? (await sessions(ctx, {})).map((one) => [sessionKey(one), one]) : []);
  const chosen = found.filter((one) => {
    const owner = owners.get(sessionKey(one));
    return (
      (children !== false || owner?.kind === "root") &&
      (source === undefined || one.source === source) &&
      (model === undefined || one.usage.models.includes(model)) &&
      (outcome === undefined || one.outcome === outcome) &&
      (failures !== true || one.tools.failed > 0) &&
      (min_cost === undefined || (one.usage_with_children.cost_usd ?? 0) >= min_cost) &&
      (text === undefined ||
        holdsText({ request: one.trigger.text, others: [owner?.title ?? null, one.project, one.session_id] }, text))
    );
  });
  return limit === undefined ? chosen : chosen.slice(-limit);
}

type Order = (a: SessionView, b: SessionView) => number;
const byName: Order = (a, b) => order(sessionKey(a), sessionKey(b));
/** Given newest first, which a stable sort keeps among equals. */
const ORDER: Readonly<Record<Exclude<NonNullable<ListQuery["sort"]>, "newest">, Order>> = {
  oldest: (a, b) => order(a.started_at ?? "", b.started_at ?? "") || byName(a, b),
  active: (a, b) => order(b.ended_at ?? "", a.ended_at ?? "") || byName(a, b),
  cost: (a, b) => (b.usage.cost_usd ?? 0) - (a.usage.cost_usd ?? 0) || byName(a, b),
  turns: (a, b) => b.turns - a.turns || byName(a, b),
  project: (a, b) => order(a.project, b.project),
};
