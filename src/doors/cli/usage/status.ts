import { BLOCK_SOURCE } from "../../../views/ccusage/agents.ts";
import { BLOCK_HOURS, type UsageBlock } from "../../../views/blocks.ts";
import type { UsageView } from "../../../views/usage-sum.ts";
import { Daybook, inside } from "../../../answers/daybook.ts";
import type { StatuslineAnswer } from "../../../answers/json.ts";

/** What the agent passes to its status line; every field may be missing. */
export interface StatusHook {
  model?: { display_name?: string };
  cwd?: string;
  transcript_path?: string;
  cost?: { total_cost_usd?: number };
  context_window?: {
    total_input_tokens?: number;
    context_window_size?: number;
    used_percentage?: number | null;
  };
}

export interface StatusWanted {
  /** Count the cost of the session even if the agent states it. */
  counted: boolean;
  /** For today, only what this agent spent. */
  oneSource: boolean;
}

/** A prompt must not wait: before the first sync only what the agent states is shown. */
export async function statusOf(daybook: Daybook, hook: StatusHook, wanted: StatusWanted): Promise<StatuslineAnswer> {
  const stated = numberIn(hook.cost?.total_cost_usd);
  const path = textIn(hook.transcript_path);
  const isCounted = path !== null && (wanted.counted || stated === null);
  const counted = isCounted ? await usageOfFile(path) : null;
  const isReady = !inside(daybook).isBookIncomplete;
  return {
    schema_version: 1,
    model: textIn(hook.model?.display_name),
    cwd: textIn(hook.cwd),
    context: contextOf(hook),
    session: stated === null && counted === null ? null : { stated_usd: stated, counted },
    today: isReady ? await today(daybook, wanted.oneSource) : null,
    block: isReady ? await running(daybook) : null,
  };
}

async function today(daybook: Daybook, oneSource: boolean): Promise<UsageView> {
  const how = { group: "daily", by: "spent", breakdown: false, order: "asc", agents: true } as const;
  const { rows, totals } = await daybook.usage({ since: "today", until: "today", ...how });
  if (!oneSource) return totals;
  const own = rows[0]?.agents?.find(({ source }) => source === BLOCK_SOURCE);
  return own ?? NOTHING;
}

const NOTHING: UsageView = {
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0,
  unpriced_models: [],
  models: [],
};

async function running(daybook: Daybook): Promise<UsageBlock | null> {
  return (await inside(daybook).runningBlock(BLOCK_SOURCE, BLOCK_HOURS)) ?? null;
}

function contextOf({ context_window: window }: StatusHook): StatuslineAnswer["context"] {
  const tokens = numberIn(window?.total_input_tokens);
  const size = numberIn(window?.context_window_size);
  if (tokens === null) return null;
  const share = numberIn(window?.used_percentage) ?? (size === null || size <= 0 ? null : (tokens / size) * 100);
  return { tokens, size, percent: share };
}

async function usageOfFile(path: string): Promise<UsageView | null> {
  try {
    const daybook = new Daybook({ roots: { [BLOCK_SOURCE]: [path] } });
    return (await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" })).totals;
  } catch {
    return null;
  }
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
