import { appendFileSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../base/errors.ts";
import { captureAnswers, isFailure, type Hide } from "./hook-capture.ts";
import { enforcePreferences } from "./hook-enforce.ts";
import { parseHookCall } from "./hook-call.ts";
import { reminderFor } from "./hook-reminder.ts";
import { stateFile, type State } from "./state.ts";

/**
 * `capture` runs after a question and logs it. `enforce` runs before one and decides what the person does not want to
 * be asked.
 */
export type Hook = "capture" | "enforce";

export interface HookContext {
  state: State;
  env: Readonly<Record<string, string | undefined>>;
  now: string;
  hide: Hide;
}

/** Returns what the hook prints. Never throws, so that no agent is blocked: problems are written to a file. */
export function runHook(hook: Hook, text: string, { state, env, now, hide }: HookContext): string {
  try {
    const call = parseHookCall(text);
    if ("problem" in call) {
      if (call.problem !== null) noteProblem(state, hook, call.problem, now);
      return "";
    }
    if (hook === "enforce") return enforcePreferences(call, state, env, now, hide);
    if (isFailure(call.response)) return reminderFor(call, state, env);
    for (const problem of captureAnswers(call, state, env, now, hide)) noteProblem(state, hook, problem, now);
  } catch (error) {
    noteProblem(state, hook, kindOf(error), now);
  }
  return "";
}

/** Describes an error without quoting the call, which its message may do. */
function kindOf(error: unknown): string {
  if (error instanceof DaybookError) return error.message;
  if (error instanceof Error && "code" in error)
    return `${String(error.code)} ${"path" in error ? String(error.path) : ""}`;
  return error instanceof Error ? error.name : "something unknown";
}

/** Maximum size of the file in bytes. */
const LARGEST = 1 << 20;

export function noteProblem(state: State, hook: string, problem: string, now: string): void {
  try {
    const path = stateFile.hookErrors(state);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGEST) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, `${now} daybook decisions hook ${hook}: ${problem.replace(/\s+/g, " ").slice(0, 500)}\n`, {
      mode: 0o600,
    });
  } catch {
    // There is nowhere left to report to.
  }
}
