import { z } from "@hono/zod-openapi";
import { type Daybook, inside, type SearchFound } from "../../../answers/daybook.ts";
import { audit, context, decisions } from "../../../answers/questions/days.ts";
import { commands, tools } from "../../../answers/questions/lists.ts";
import { recall, search } from "../../../answers/questions/texts.ts";
import { blocks, usage } from "../../../answers/questions/usage.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { keyOfSession, parseSessionKey, parseTurnKey, turnKey } from "../../../record/session-key.ts";
import { totalTokens } from "../../../record/tokens.ts";
import type { ToolView } from "../../../views/tool-view.ts";
import type { UsageRow } from "../../../views/usage-view.ts";
import type { TurnName, UsageShare } from "../answers.ts";
import { pieceFrom, pieceOf } from "../paging.ts";
import { addRoute, type AnswerContext, type Api, commonFilters, pageParams, paramsOf } from "../route.ts";
import { listedTurns, LONGEST_REQUEST, sessionNames } from "../session-cards.ts";

/** Maximum number of hits per request. */
const MOST_HITS = 200;

/** Questions about all sessions: tool calls, texts, tokens, decisions, settings, audit. */
export function questionRoutes(api: Api, served: AnswerContext): void {
  const { daybook } = served;

  addRoute(api, served, {
    path: "/tools",
    summary: "Tool calls and how they ended",
    query: z.object({
      ...paramsOf(tools.query),
      ...pageParams,
      order: z.enum(tools.query.order.values).default("time"),
    }),
    answer: "ToolPage",
    ask: async ({ query }) => {
      const { cursor: _, limit: __, ...choice } = query;
      // With `grep` all calls have to be looked at.
      const { piece, ...rest } =
        choice.grep === undefined
          ? await pieceFrom(
              (offset, limit) => daybook.tools({ ...choice, offset, limit }),
              () => inside(daybook).count("tools", choice),
              query,
              callName,
            )
          : pieceOf(await daybook.tools(choice), query, callName);
      return { tools: piece, turns: await turnNames(daybook, piece), ...rest };
    },
  });

  addRoute(api, served, {
    path: "/tools/commands",
    summary: "Tool calls counted by command",
    query: z.object(paramsOf(commands.query)),
    answer: "CommandCounts",
    ask: async ({ query }) => ({ commands: await daybook.commands(query) }),
  });

  addRoute(api, served, {
    path: "/search",
    summary: "Full-text search",
    query: z.object({
      ...paramsOf(search.query),
      q: z.string().max(500),
      limit: z.coerce.number().int().min(1).max(MOST_HITS).default(50),
    }),
    answer: "SearchHits",
    ask: async ({ query, redact }) => {
      const { q, ...choice } = query;
      const wanted = { ...choice, redact };
      const nothing: SearchFound = { results: [], total: null };
      const { results: hits, not_pushed } =
        q.trim() === "" ? nothing : await daybook.ask("search", { ...wanted, words: q, isCounted: false });
      return { hits, sessions: await sessionNames(daybook, hits), ...(not_pushed ? { not_pushed } : {}) };
    },
  });

  addRoute(api, served, {
    path: "/recall",
    summary: "The turns that best answer a question in any words",
    query: z.object({
      ...paramsOf(recall.query),
      q: z.string().min(1).max(500),
      limit: z.coerce.number().int().min(1).max(50).default(8),
    }),
    answer: "RecallAnswer",
    ask: ({ query, redact }) => {
      const { q, ...options } = query;
      return daybook.recall(q, { ...options, redact });
    },
  });

  addRoute(api, served, {
    path: "/usage",
    summary: "Tokens and what they cost, each counted once",
    query: z.object({
      ...paramsOf(usage.query),
      group: z.enum(usage.query.group.values).default("daily"),
      by: z.enum(usage.query.by.values).default("spent"),
      order: z.enum(usage.query.order.values).default("asc"),
      limit: z.coerce.number().int().min(1).max(10_000).optional(),
    }),
    answer: "UsageReport",
    ask: ({ query }) => daybook.usage({ ...query, breakdown: query.breakdown === true }),
  });

  addRoute(api, served, {
    path: "/usage/shares",
    summary: "Spending by project, agent and kind of turn",
    query: z.object(commonFilters),
    answer: "UsageShares",
    ask: async ({ query }) => {
      const spent = { ...query, by: "trigger", breakdown: false, order: "asc" } as const;
      const [byProject, bySession, byTurn, turns] = await Promise.all([
        daybook.usage({ ...spent, group: "monthly", instances: true }),
        daybook.usage({ ...spent, group: "session" }),
        daybook.usage({ ...spent, group: "turn" }),
        daybook.turns(query),
      ]);
      const kinds = new Map(
        turns.map((turn) => [turnKey(turn), turn.trigger.entry === "automated" ? "automated" : turn.trigger.kind]),
      );
      return {
        projects: usageShares(byProject.rows, ({ project }) => project ?? "unknown"),
        sources: usageShares(bySession.rows, ({ period }) => parseSessionKey(period).source),
        kinds: usageShares(byTurn.rows, ({ period }) => kinds.get(period) ?? "other"),
      };
    },
  });

  addRoute(api, served, {
    path: "/usage/dearest",
    summary: "The most expensive turns",
    query: z.object({ ...commonFilters, limit: z.coerce.number().int().min(1).max(100).default(10) }),
    answer: "DearestTurns",
    ask: async ({ query }) => {
      const { limit, ...wanted } = query;
      const { rows } = await daybook.usage({ ...wanted, group: "turn", by: "trigger", breakdown: false, order: "asc" });
      const dearest = rows.toSorted((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0)).slice(0, limit);
      const named = await inside(daybook).turnsNamed(dearest.flatMap(({ period }) => turnNamed(period) ?? []));
      return { turns: await listedTurns(daybook, named) };
    },
  });

  addRoute(api, served, {
    path: "/usage/blocks",
    summary: "Blocks of hours as providers count their limits, with the rate of the running one",
    query: z.object({ ...paramsOf(blocks.query), hours: z.coerce.number().min(1).max(168).default(5) }),
    answer: "BlockList",
    ask: async ({ query }) => ({ blocks: await daybook.blocks(query) }),
  });

  addRoute(api, served, {
    path: "/usage/limits",
    summary: "Rate limits as the agents recorded them last",
    answer: "LimitList",
    ask: async () => ({ limits: await daybook.limits() }),
  });

  addRoute(api, served, {
    path: "/decisions",
    summary: "Questions asked of the human, with the answers, in order of time",
    query: z.object(paramsOf(decisions.query)),
    answer: "DecisionList",
    ask: async ({ query }) => ({ decisions: await daybook.decisions(query) }),
  });

  addRoute(api, served, {
    path: "/context",
    summary: "The settings of each turn: instructions, model, approval, sandbox, place",
    query: z.object(paramsOf(context.query)),
    answer: "ContextList",
    ask: async ({ query, redact }) => ({ context: await daybook.context({ ...query, redact }) }),
  });

  addRoute(api, served, {
    path: "/audit",
    summary: "The balance: every record and every token has one owner",
    query: z.object(paramsOf(audit.query)),
    answer: "Audit",
    ask: ({ query }) => daybook.audit(query),
  });

  addRoute(api, served, {
    path: "/health",
    summary: "Sources, versions, format drift, and what could not be read",
    answer: "Doctor",
    ask: () => daybook.doctor(),
  });
}

/** The turns of these calls, each once. */
async function turnNames(daybook: Daybook, calls: readonly ToolView[]): Promise<TurnName[]> {
  const named = new Map(
    calls.flatMap(({ source, session_id, turn_ref }) => {
      const turn = turn_ref === null ? null : { source, session_id, turn_ref };
      return turn === null ? [] : [[turnKey(turn), turn] as const];
    }),
  );
  const views = await inside(daybook).turnsNamed([...named.values()]);
  return views.map(({ source, session_id, turn_ref, project, trigger: { text } }) => ({
    source,
    session_id,
    turn_ref,
    project,
    request: text === null ? null : askedLine(text).slice(0, LONGEST_REQUEST),
  }));
}

/** Calls from a store may have no ids: the start time is enough to see that nothing moved. */
function callName({ source, session_id, call_id, started_at }: ToolView): string {
  return `${keyOfSession(source, session_id)}/${call_id ?? started_at}`;
}

/** Sums rows by name, most expensive first. */
export function usageShares(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): UsageShare[] {
  const shares = new Map<string, UsageShare>();
  for (const row of rows) {
    const name = nameOf(row);
    const known = shares.get(name) ?? { name, tokens: 0, cost_usd: null, unpriced_models: [] };
    shares.set(name, known);
    known.tokens += totalTokens(row);
    if (row.cost_usd !== null) known.cost_usd = (known.cost_usd ?? 0) + row.cost_usd;
    known.unpriced_models = [...new Set([...known.unpriced_models, ...row.unpriced_models])].toSorted();
  }
  return [...shares.values()].toSorted((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || b.tokens - a.tokens);
}

/** The turn a row by turn is named after; null for rows of what no turn asked for. */
export function turnNamed(period: string): { source: string; session_id: string; turn_ref: string } | null {
  const { session, turn_ref } = parseTurnKey(period);
  const { source, session_id } = parseSessionKey(session);
  return /^T\d+$/.test(turn_ref) && source !== "" && session_id !== "" ? { source, session_id, turn_ref } : null;
}
