import type { SessionRef, Tokens } from "../../format/record.ts";
import { iso } from "../../time/zone.ts";
import type { PriceTable } from "../pricing/price-table.ts";
import type { UsageResponse } from "../usage-response.ts";
import { UsageSum } from "../usage-sum.ts";
import type { ModelUsage } from "../usage-view.ts";
import { agentOf, type Agent } from "./agents.ts";
import { namedRowOf, namedTotalsOf } from "./by-model-name.ts";
import { sessionNamed, type NamedSession } from "./session-names.ts";
import { fourTokens, knownCost, rowOf, totalsOf } from "./tokens.ts";
import { totalTokens } from "../../format/tokens.ts";

/** Counted responses, and where the files of their sessions are. */
export interface SessionsInput {
  responses: readonly UsageResponse[];
  pathOf: (session: SessionRef) => string | undefined;
  prices: PriceTable;
  withCost: boolean;
}

/** Responses that belong together, in order of time. */
class Lot {
  readonly agent: Agent;
  readonly name: NamedSession;
  readonly responses: UsageResponse[] = [];
  readonly #prices: PriceTable;

  constructor(agent: Agent, name: NamedSession, prices: PriceTable) {
    this.agent = agent;
    this.name = name;
    this.#prices = prices;
  }

  get first(): string | null {
    return iso(this.responses[0]?.time ?? null);
  }

  get last(): string | null {
    return iso(this.responses.at(-1)?.time ?? null);
  }

  usage(model?: string): ReturnType<UsageSum["view"]> {
    const sum = new UsageSum(this.#prices);
    for (const response of this.responses)
      if (model === undefined || (response.model ?? "unknown") === model) add(sum, response);
    return sum.view();
  }

  breakdown(): ModelUsage[] {
    const models = new Set(this.responses.map(({ model }) => model ?? "unknown"));
    return [...models].toSorted().map((model) => ({ model, ...this.usage(model) }));
  }
}

function add(sum: UsageSum, { cost, ...response }: UsageResponse): void {
  sum.add({ response_id: "", line: 0, turn: null, ...response }, cost);
}

/** By what they have in common; the first met first. */
function groupsOf(
  input: SessionsInput,
  keyOf: (response: UsageResponse, name: NamedSession) => string,
): Map<string, Lot> {
  const names = new Map<string, NamedSession>();
  const groups = new Map<string, Lot>();
  for (const response of input.responses) {
    const session = `${response.source}/${response.session_id}`;
    let name = names.get(session);
    if (!name) names.set(session, (name = sessionNamed(response, input.pathOf(response))));
    const key = keyOf(response, name);
    let lot = groups.get(key);
    if (!lot) groups.set(key, (lot = new Lot(agentOf(response.source), name, input.prices)));
    lot.responses.push(response);
  }
  return groups;
}

function sessionsIn(input: SessionsInput): Lot[] {
  return [...groupsOf(input, ({ source }, { id }) => `${source}/${id}`).values()];
}

function totals({ responses, prices }: SessionsInput): ReturnType<UsageSum["view"]> {
  const sum = new UsageSum(prices);
  for (const response of responses) add(sum, response);
  return sum.view();
}

/** Sessions of all agents, the dearest first. */
export function unifiedSessions(input: SessionsInput): object[] {
  return sessionsIn(input)
    .map((lot) => ({ lot, usage: lot.usage() }))
    .toSorted((a, b) => knownCost(b.usage) - knownCost(a.usage) || (a.lot.name.id < b.lot.name.id ? -1 : 1))
    .map(({ lot, usage }) => ({
      agent: lot.agent.name,
      ...rowOf(usage, lot.breakdown(), input.withCost),
      metadata: {
        lastActivity: lot.last,
        ...(lot.agent.byModelName ? { reasoningOutputTokens: usage.reasoning_tokens } : {}),
      },
      period: lot.name.id,
    }));
}

/** Sessions of one agent. */
export function agentSessions(agent: Agent, input: SessionsInput): object {
  return agent.byModelName ? namedSessions(input) : plainSessions(input);
}

function plainSessions(input: SessionsInput): object {
  const sessions = sessionsIn(input).map((lot) => ({
    ...rowOf(lot.usage(), lot.breakdown(), input.withCost),
    ...{ firstActivity: lot.first, lastActivity: lot.last, projectPath: lot.name.directory, sessionId: lot.name.id },
  }));
  return {
    sessions: sessions.toSorted(
      (a, b) => (b.totalCost ?? 0) - (a.totalCost ?? 0) || (a.sessionId < b.sessionId ? -1 : 1),
    ),
    totals: totalsOf(totals(input), input.withCost),
  };
}

function namedSessions(input: SessionsInput): object {
  const sessions = sessionsIn(input).map((lot) => ({
    ...namedRowOf(lot.usage(), lot.breakdown(), input.withCost),
    ...{ directory: lot.name.directory, lastActivity: lot.last, sessionFile: lot.name.file, sessionId: lot.name.id },
  }));
  return {
    sessions: sessions.toSorted((a, b) => ((a.lastActivity ?? "") < (b.lastActivity ?? "") ? -1 : 1)),
    totals: namedTotalsOf(totals(input), input.withCost),
  };
}

/** One session response by response; null where there is none of that name. */
export function oneSession(id: string, input: SessionsInput): object | null {
  const lot = sessionsIn(input).find(
    ({ name, responses: [response] }) => name.id === id || response?.session_id === id,
  );
  if (!lot) return null;
  const usage = lot.usage();
  return {
    entries: lot.responses.map((response) => ({
      ...fourTokens(response),
      ...(input.withCost ? { costUSD: knownCost(costOf(response, input.prices)) } : {}),
      model: response.model,
      timestamp: iso(response.time),
    })),
    sessionId: id,
    ...(input.withCost ? { totalCost: knownCost(usage) } : {}),
    totalTokens: totalTokens(usage),
  };
}

function costOf(response: UsageResponse & Tokens, prices: PriceTable): { cost_usd: number | null } {
  const sum = new UsageSum(prices);
  add(sum, response);
  return sum.view();
}

/** Days of one agent, apart by the directories that stand for projects. */
export function projectDays(input: SessionsInput, dayOf: (time: number) => string, order: "asc" | "desc"): object {
  const day = ({ time }: UsageResponse): string => (time === null ? "unknown" : dayOf(time));
  const groups = groupsOf(input, (response, { directory }) => `${directory}\t${day(response)}`);
  const projects: Record<string, object[]> = {};
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, lot] of order === "desc" ? sorted.toReversed() : sorted) {
    const [project = "", date] = key.split("\t");
    (projects[project] ??= []).push({ date, ...rowOf(lot.usage(), lot.breakdown(), input.withCost), project });
  }
  return { projects, totals: totalsOf(totals(input), input.withCost) };
}
