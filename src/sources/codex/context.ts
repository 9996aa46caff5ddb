import type { ContextBody, RateLimits, RateLimitWindow } from "../../format/record.ts";
import type { Fields } from "./fields.ts";
import { fieldsOf, isFields, listOf, nameOf, numberOf, stringOf, timeOf, wordOf } from "./fields.ts";
import { noteMode } from "./plans.ts";
import type { ReaderState } from "./state.ts";

/** Policies are strings in old files and tagged objects in new ones. */
function policyOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  const fields = fieldsOf(value);
  return wordOf(fields.type) ?? wordOf(fields.mode) ?? Object.keys(fields)[0] ?? null;
}

/** `turn_context` and `thread_settings`: the settings in force from here on. */
export function settingsBody(settings: Fields, turnId: string | null, state: ReaderState): ContextBody {
  const body: ContextBody = { type: "context" };
  if (turnId !== null) body.native_turn_id = turnId;
  const model = wordOf(settings.model);
  if (model !== null) {
    body.model = model;
    state.model = model;
  }
  if (turnId !== null) noteMode(state, settings.collaboration_mode);
  const effort = wordOf(settings.effort) ?? wordOf(settings.reasoning_effort);
  if (effort !== null) body.effort = effort;
  if (settings.approval_policy !== undefined) body.approval_policy = policyOf(settings.approval_policy);
  if (settings.sandbox_policy !== undefined) {
    body.sandbox = policyOf(settings.sandbox_policy);
    const { network_access: network } = fieldsOf(settings.sandbox_policy);
    if (typeof network === "boolean") body.network = network;
    body.sandbox_excludes = excludesOf(fieldsOf(settings.sandbox_policy));
  }
  // Thread settings only state a preference; a turn states what was requested from the model.
  const summary = wordOf(settings.summary);
  if (summary !== null) body.reasoning_summary = summary;
  const cwd = nameOf(settings.cwd);
  if (cwd !== null) {
    body.cwd = cwd;
    state.cwd = cwd;
  }
  return body;
}

/** Which flags like `exclude_slash_tmp` are set; null for a sandbox without such flags. */
function excludesOf(policy: Fields): string[] | null {
  const flags = Object.keys(policy).filter((name) => name.startsWith("exclude_"));
  return flags.length === 0 ? null : flags.filter((name) => policy[name] === true).map((name) => name.slice(8));
}

/** Every task and token count states the size of the context window; only a change is reported. */
export function contextWindow(value: unknown, state: ReaderState): ContextBody[] {
  const tokens = numberOf(value);
  if (tokens === null || tokens === state.window) return [];
  state.window = tokens;
  return [{ type: "context", context_window: tokens }];
}

const UNTRACKED = 200;

/** The names in a list, cut to a number that a person would read. */
function namesIn(value: unknown): string[] {
  const names = listOf(value).flatMap((name) => wordOf(name) ?? []);
  const more = names.length - UNTRACKED;
  return more <= 0 ? names : [...names.slice(0, UNTRACKED), `… and ${more} more`];
}

/** The ghost commit that Codex made before it began to work. */
export function ghostBody(snapshot: Fields): ContextBody | null {
  const commit = fieldsOf(snapshot.ghost_commit);
  const id = wordOf(commit.id);
  if (id === null) return null;
  return {
    type: "context",
    git: {
      ghost_commit: id,
      ghost_parent: wordOf(commit.parent),
      untracked_files: namesIn(commit.preexisting_untracked_files),
      untracked_dirs: namesIn(commit.preexisting_untracked_dirs),
    },
  };
}

function windowOf(value: unknown, time: number | null): RateLimitWindow | null {
  if (!isFields(value)) return null;
  const used = numberOf(value.used_percent);
  if (used === null) return null;
  let resets: number | null = timeOf(value.resets_at);
  const unix = numberOf(value.resets_at);
  if (unix !== null) resets = unix * 1000;
  const seconds = numberOf(value.resets_in_seconds);
  if (resets === null && seconds !== null && time !== null) resets = time + seconds * 1000;
  return {
    used_percent: used,
    window_minutes: numberOf(value.window_minutes),
    resets_at: resets === null || Math.abs(resets) > 8.64e15 ? null : new Date(resets).toISOString(),
  };
}

/** Every token count states the rate limits; only a change is reported. */
export function rateLimitsBody(value: unknown, time: number | null, state: ReaderState): ContextBody | null {
  if (!isFields(value)) return null;
  const printed = JSON.stringify(value);
  if (printed === state.rateLimits) return null;
  const limits: RateLimits = {
    limit_id: stringOf(value.limit_id),
    plan: stringOf(value.plan_type),
    primary: windowOf(value.primary ?? flatWindow(value, "primary"), time),
    secondary: windowOf(value.secondary ?? flatWindow(value, "secondary"), time),
  };
  const credits = value.credits;
  if (isFields(credits)) {
    const { balance } = credits;
    limits.credits = {
      has_credits: credits.has_credits === true,
      unlimited: credits.unlimited === true,
      balance: typeof balance === "number" ? String(balance) : stringOf(balance),
    };
  }
  state.rateLimits = printed;
  if (!limits.primary && !limits.secondary && !limits.credits && limits.plan === null) return null;
  return { type: "context", rate_limits: limits };
}

/** The first form of rate limits was flat: `primary_used_percent`, `primary_window_minutes`. */
function flatWindow(value: Fields, name: string): Fields {
  return { used_percent: value[`${name}_used_percent`], window_minutes: value[`${name}_window_minutes`] };
}

const ENVIRONMENT = {
  cwd: /<cwd>([^<]*)<\/cwd>|^Current working directory: (.+)$/im,
  approval: /<approval_policy>([^<]*)<\/approval_policy>|^Approval policy: (.+)$/im,
  sandbox: /<sandbox_mode>([^<]*)<\/sandbox_mode>|^Sandbox mode: (.+)$/im,
  network: /<network_access>([^<]*)<\/network_access>|^Network access: (.+)$/im,
} as const;

/** The environment message: in files without `turn_context` the only statement of the directory and the policies. */
export function environmentBody(text: string, state: ReaderState): ContextBody | null {
  if (!state.bare && state.cwd !== null) return null;
  const find = (name: keyof typeof ENVIRONMENT): string | null => {
    const match = ENVIRONMENT[name].exec(text);
    return wordOf((match?.[1] ?? match?.[2])?.trim());
  };
  const body: ContextBody = { type: "context" };
  const cwd = find("cwd");
  if (cwd !== null) {
    body.cwd = cwd;
    state.cwd = cwd;
  }
  const approval = find("approval");
  if (approval !== null) body.approval_policy = approval;
  const sandbox = find("sandbox");
  if (sandbox !== null) body.sandbox = sandbox;
  const network = find("network");
  if (network !== null) body.network = network === "enabled" || network === "full";
  return Object.keys(body).length > 1 ? body : null;
}
