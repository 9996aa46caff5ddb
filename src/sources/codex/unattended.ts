import type { Reason } from "./reasons.ts";

/**
 * A prompt that no human sent at that moment, although Codex records and echoes it like any other. A prompt that a
 * client sends for its own purposes is not a request. A scheduled prompt is one, because somebody set up the schedule.
 */
export interface UnattendedPrompt {
  kind: "housekeeping" | "agent" | "schedule";
  reason: Reason;
}

const AUTOMATION = /^Automation: [^\n]+\nAutomation ID: \S+[^\S\n]*\n(?:Automation memory: |Last run: |\s*\n)/;
const HEARTBEAT = /^<heartbeat>\s*<automation_id>[\s\S]*<\/heartbeat>$/;
/** A message of another thread's agent, which opened or woke this thread. */
const DELEGATION = /^<codex_delegation>\s*<source_thread_id>[\s\S]*<\/codex_delegation>$/;

/** The beginning of each prompt; these fixed sentences are too long to be typed by chance. */
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

/** `first`: this is the first prompt of the session. Later prompts may quote such texts. */
export function unattendedPrompt(text: string, first: boolean): UnattendedPrompt | null {
  const body = text.trim();
  if (AUTOMATION.test(body)) return { kind: "schedule", reason: "codex.automation.scheduled" };
  if (HEARTBEAT.test(body)) return { kind: "schedule", reason: "codex.automation.heartbeat" };
  if (DELEGATION.test(body)) return { kind: "agent", reason: "codex.agent.delegation" };
  const found = first ? HOUSEKEEPING.find(([start]) => body.startsWith(start)) : undefined;
  return found ? { kind: "housekeeping", reason: found[1] } : null;
}
