import type { Reason } from "./reasons.ts";

/**
 * Prompts that no human sent at that moment although Codex records and echoes them like any other. What a client asks for its
 * own needs is nobody's request; what a schedule asks, somebody once set up: a request, only not a person's at that time.
 */
export interface Unattended {
  kind: "housekeeping" | "agent" | "schedule";
  reason: Reason;
}

const AUTOMATION = /^Automation: [^\n]+\nAutomation ID: \S+[^\S\n]*\n(?:Automation memory: |Last run: |\s*\n)/;
const HEARTBEAT = /^<heartbeat>\s*<automation_id>[\s\S]*<\/heartbeat>$/;
/** Mail of another thread's agent, which opened or woke this one. */
const DELEGATION = /^<codex_delegation>\s*<source_thread_id>[\s\S]*<\/codex_delegation>$/;

/** How each begins; the fixed sentences are too long to be anybody's own words. */
const HOUSEKEEPING: readonly [string, Reason][] = [
  [
    "You are a helpful assistant. You will be presented with a user prompt, and your job is to provide a short title for a task",
    "codex.housekeeping.title",
  ],
  [
    "# Overview\nGenerate 0 to 3 hyperpersonalized suggestions for what this user can do with Codex",
    "codex.housekeeping.suggestions",
  ],
  ["The following is the Codex agent history whose request action you are assessing", "codex.housekeeping.assessment"],
  [
    "The following is the Codex agent history added since your last approval assessment",
    "codex.housekeeping.assessment",
  ],
];

/** `first`: nothing was asked in this session before. Later on people quote what they found in their files. */
export function unattended(text: string, first: boolean): Unattended | null {
  const body = text.trim();
  if (AUTOMATION.test(body)) return { kind: "schedule", reason: "codex.automation.scheduled" };
  if (HEARTBEAT.test(body)) return { kind: "schedule", reason: "codex.automation.heartbeat" };
  if (DELEGATION.test(body)) return { kind: "agent", reason: "codex.agent.delegation" };
  const found = first ? HOUSEKEEPING.find(([start]) => body.startsWith(start)) : undefined;
  return found ? { kind: "housekeeping", reason: found[1] } : null;
}
