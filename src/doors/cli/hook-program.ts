import { Redactor } from "../../base/redact/redact.ts";
import type { Hook } from "../../teach/hook.ts";
import { noteProblem, runHook } from "../../teach/hook.ts";
import { readConfig } from "./config.ts";
import type { Io } from "./io.ts";
import { stateOf } from "./teaching-flags.ts";

/** How long to wait for stdin, in ms: the agent waits for us. */
const INPUT_WAIT_MS = 2000;

/**
 * The hook requested by `daybook decisions hook capture|enforce`, which an agent runs around its questions. It is not
 * a normal command: whatever is wrong (flags, configuration, disk), it prints nothing and ends with 0, because any
 * other exit code would stop the agent.
 */
export function requestedHook([first, second, ...words]: readonly string[]): Hook | null {
  if (first !== "decisions" || second !== "hook") return null;
  return HOOKS.find((hook) => words.includes(hook)) ?? null;
}

const HOOKS = ["capture", "enforce"] as const;

export async function runHookProgram(hook: Hook, words: readonly string[], io: Io): Promise<number> {
  try {
    const config = await readConfig(io).catch(() => ({}));
    const home = homeIn(words);
    const state = stateOf({ ...io, env: io.env, config }, home === undefined ? {} : { home });
    const text = await readInput(io);
    if (state === null) return 0;
    const now = new Date(io.now).toISOString();
    if (text === null) noteProblem(state, hook, "nothing came in time", now);
    else {
      const redactor = new Redactor("redaction" in config ? config.redaction : undefined);
      const said = runHook(hook, text, { state, env: io.env, now, hide: (value) => redactor.all(value) });
      if (said !== "") io.out(`${said}\n`);
    }
  } catch {
    // Nobody to report to, and the agent must not be stopped.
  }
  return 0;
}

function homeIn(words: readonly string[]): string | undefined {
  const at = words.indexOf("--home");
  return at === -1 ? undefined : words[at + 1];
}

/** All of stdin; null if it does not end in time. */
async function readInput(io: Io): Promise<string | null> {
  if (io.stdin) return io.stdin();
  if (io.inIsTerminal === true) return "";
  const { stdin } = process;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = (text: string | null): void => {
      clearTimeout(timer);
      // An open stdin would keep the process alive.
      stdin.destroy();
      resolve(text);
    };
    const timer = setTimeout(() => end(null), INPUT_WAIT_MS);
    stdin.on("data", (chunk: Buffer) => chunks.push(chunk));
    stdin.once("end", () => end(Buffer.concat(chunks).toString("utf8")));
    stdin.once("error", () => end(null));
  });
}
