import type { SessionRef } from "../../record/record.ts";
import { iso } from "../../base/time/zone.ts";
import { getOrAdd } from "../../base/maps.ts";
import { costOfPico } from "../pricing/cost.ts";
import type { PriceTable } from "../pricing/price-table.ts";
import type { CountedResponse } from "../response.ts";
import { UsageSum } from "../usage-sum.ts";
import type { ModelUsage } from "../usage-view.ts";
import { agentOf, type CcusageAgent } from "./agents.ts";
import { fourTokens, knownCost, namedRowOf, namedTotalsOf, rowOf, totalsOf } from "./rows.ts";
import { totalTokens } from "../../record/tokens.ts";
import { sessionKey, keyOfSession } from "../../record/session-key.ts";

/** Counted responses, and the paths of their sessions' files. */
export interface CcusageInput {
  responses: readonly CountedResponse[];
  pathOf: (session: SessionRef) => string | undefined;
  prices: PriceTable;
  withCost: boolean;
}

/** Responses with the same key, in order of time. */
class ResponseGroup {
  readonly agent: CcusageAgent;
  readonly name: CcusageNames;
  readonly responses: CountedResponse[] = [];
  readonly #prices: PriceTable;

  constructor(agent: CcusageAgent, name: CcusageNames, prices: PriceTable) {
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

function add(sum: UsageSum, response: CountedResponse): void {
  sum.add(response, costOfPico(response.pico));
}

/** Groups responses by key, in order of first occurrence. */
function groupsOf(
  input: CcusageInput,
  keyOf: (response: CountedResponse, name: CcusageNames) => string,
): Map<string, ResponseGroup> {
  const names = new Map<string, CcusageNames>();
  const groups = new Map<string, ResponseGroup>();
  for (const response of input.responses) {
    const session = sessionKey(response);
    const name = getOrAdd(names, session, () => nameSession(response, input.pathOf(response)));
    const make = (): ResponseGroup => new ResponseGroup(agentOf(response.source), name, input.prices);
    getOrAdd(groups, keyOf(response, name), make).responses.push(response);
  }
  return groups;
}

function sessionsIn(input: CcusageInput): ResponseGroup[] {
  return [...groupsOf(input, ({ source }, { id }) => keyOfSession(source, id)).values()];
}

function totals({ responses, prices }: CcusageInput): ReturnType<UsageSum["view"]> {
  const sum = new UsageSum(prices);
  for (const response of responses) add(sum, response);
  return sum.view();
}

/** Sessions of all agents, the most expensive first. */
export function unifiedSessions(input: CcusageInput): object[] {
  return sessionsIn(input)
    .map((group) => ({ group, usage: group.usage() }))
    .toSorted((a, b) => knownCost(b.usage) - knownCost(a.usage) || (a.group.name.id < b.group.name.id ? -1 : 1))
    .map(({ group, usage }) => ({
      agent: group.agent.name,
      ...rowOf(usage, group.breakdown(), input.withCost),
      metadata: {
        lastActivity: group.last,
        ...(group.agent.byModelName ? { reasoningOutputTokens: usage.reasoning_tokens } : {}),
      },
      period: group.name.id,
    }));
}

/** Sessions of one agent. */
export function agentSessions(agent: CcusageAgent, input: CcusageInput): object {
  return agent.byModelName ? namedSessions(input) : plainSessions(input);
}

function plainSessions(input: CcusageInput): object {
  const sessions = sessionsIn(input).map((group) => ({
    ...rowOf(group.usage(), group.breakdown(), input.withCost),
    firstActivity: group.first,
    lastActivity: group.last,
    projectPath: group.name.directory,
    sessionId: group.name.id,
  }));
  return {
    sessions: sessions.toSorted(
      (a, b) => (b.totalCost ?? 0) - (a.totalCost ?? 0) || (a.sessionId < b.sessionId ? -1 : 1),
    ),
    totals: totalsOf(totals(input), input.withCost),
  };
}

function namedSessions(input: CcusageInput): object {
  const sessions = sessionsIn(input).map((group) => ({
    ...namedRowOf(group.usage(), group.breakdown(), input.withCost),
    directory: group.name.directory,
    lastActivity: group.last,
    sessionFile: group.name.file,
    sessionId: group.name.id,
  }));
  return {
    sessions: sessions.toSorted((a, b) => ((a.lastActivity ?? "") < (b.lastActivity ?? "") ? -1 : 1)),
    totals: namedTotalsOf(totals(input), input.withCost),
  };
}

/** One session with its individual responses; null when there is no such session. */
export function sessionResponses(id: string, input: CcusageInput): object | null {
  const group = sessionsIn(input).find(
    ({ name, responses: [response] }) => name.id === id || response?.session_id === id,
  );
  if (!group) return null;
  const usage = group.usage();
  return {
    entries: group.responses.map((response) => ({
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

function costOf(response: CountedResponse, prices: PriceTable): { cost_usd: number | null } {
  const sum = new UsageSum(prices);
  add(sum, response);
  return sum.view();
}

/** Days of one agent, grouped by project directory. */
export function projectDays(input: CcusageInput, dayOf: (time: number) => string, order: "asc" | "desc"): object {
  const day = ({ time }: CountedResponse): string => (time === null ? "unknown" : dayOf(time));
  const groups = groupsOf(input, (response, { directory }) => `${directory}\t${day(response)}`);
  const projects: Record<string, object[]> = {};
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, group] of order === "desc" ? sorted.toReversed() : sorted) {
    const [project = "", date] = key.split("\t");
    (projects[project] ??= []).push({ date, ...rowOf(group.usage(), group.breakdown(), input.withCost), project });
  }
  return { projects, totals: totalsOf(totals(input), input.withCost) };
}

/** The names that `ccusage` derives from the path of a session's file. */
interface CcusageNames {
  id: string;
  /** The directory named after the project or the day. */
  directory: string;
  file: string;
}

const ENDING = /\.jsonl(?:\.zst)?$/;

/** Names a session by its path. Files of sub-agents are below a directory named after the session and count as it. */
function nameSession({ source, session_id }: SessionRef, path: string | undefined): CcusageNames {
  const parts = (path ?? "").replaceAll("\\", "/").replace(ENDING, "").split("/");
  const file = parts.at(-1) ?? session_id;
  if (agentOf(source).byModelName) {
    const below = after(parts, "sessions");
    return { id: below.join("/") || session_id, directory: below.slice(0, -1).join("/"), file };
  }
  const [project, owner] = after(parts, "projects");
  if (project === undefined || owner === undefined) return { id: session_id, directory: parts.at(-2) ?? "", file };
  return { id: owner, directory: project, file };
}

function after(parts: readonly string[], name: string): string[] {
  const at = parts.lastIndexOf(name);
  return at === -1 ? [] : parts.slice(at + 1);
}
