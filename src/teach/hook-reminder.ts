import { withoutMarkers } from "../turns/decisions/brief.ts";
import { isAbsolute } from "node:path";
import { homeDirectory } from "../base/home.ts";
import { textAt } from "../base/io/named-path.ts";
import { questionHooks } from "../agents/traits.ts";
import { doorOf, isGrave } from "./door.ts";
import type { HookCall } from "./hook-call.ts";
import { isSplitId } from "./preferences.ts";
import { isReadable } from "./readable.ts";
import { readRegistry, type Registry } from "./registry.ts";
import type { State } from "./state.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Who could answer: only another program, nobody, or a person. */
export type StartedHow = "spawned" | "headless" | "interactive";

/**
 * Decided by environment variables of the orchestrator, gstack, the agent and CI. In doubt a person is assumed, who
 * must be asked.
 */
export function sessionKind(env: Env, isAttended: boolean): StartedHow {
  const has = (name: string): boolean => (env[name] ?? "") !== "";
  if (has("OPENCLAW_SESSION")) return "spawned";
  if (has("GSTACK_HEADLESS")) return "headless";
  if (has("CONDUCTOR_WORKSPACE_PATH") || has("CONDUCTOR_PORT") || has("GSTACK_INTERACTIVE") || isAttended)
    return "interactive";
  return has("CI") || has("GITHUB_ACTIONS") ? "headless" : "interactive";
}

/** gstack's own hook for the same purpose, as named in settings. */
const GSTACK_HOOK = "auq-error-fallback-hook";

/** The message to an agent whose question came back without an answer; empty when gstack's own hook sends one. */
export function reminderFor(call: HookCall, state: State, env: Env): string {
  const hooks = questionHooks();
  if (!hooks) return "";
  // Relative if neither the agent's variable nor a home names its directory.
  const settings = hooks.settings(env, homeDirectory(env) ?? "");
  if (isAbsolute(settings) && textAt(settings)?.includes(GSTACK_HOOK) === true) return "";
  const registry = readRegistry(state);
  const kind = sessionKind(env, hooks.isAttended(env));
  return hooks.context(`${LEAD} ${kind === "spawned" ? forSpawned(call, registry) : MESSAGES[kind]}`, "after");
}

const LEAD = "The question came back without an answer: the call failed, and nobody has decided anything.";
const BLOCKED = "Report that you are BLOCKED because questions cannot be asked here, name the question, and stop.";
const MESSAGES = {
  headless: `Nobody is here who could answer. ${BLOCKED}`,
  interactive:
    "Put it to the user as a message instead: what it is about, your recommendation with the reason, one paragraph for each option with its letter, (recommended) behind one of them. Ask for a letter, and stop until it is there.",
};

/** A program decides for another only what can be undone and has a single recommendation. */
function forSpawned({ questions, texts }: HookCall, registry: Registry): string {
  const isUnderstood = texts?.every((text) => isReadable(text) && !isGrave(withoutMarkers(text))) === true;
  const isSafe =
    isUnderstood &&
    questions.every((question) => {
      const { question_id, recommended, keys, labels, multi, secret } = question;
      if (recommended === null || multi || secret) return false;
      const summary = [keys.text, ...labels].join("\n");
      return doorOf({ question_id, summary }, registry).door === "two-way" && !isSplitId(question_id);
    });
  return isSafe ? "Take the recommended option, say that you did, and go on." : BLOCKED;
}
