import type { Command } from "commander";
import { isAgentShell } from "../../answers/daybook.ts";
import { DaybookError } from "../../base/errors.ts";
import { homeDirectory } from "../../base/home.ts";
import { Redactor } from "../../base/redact/redact.ts";
import { type Hook, noteProblem, runHook } from "../../teach/hook.ts";
import { type Writer, WRITERS } from "../../teach/preferences.ts";
import { slugOf } from "../../teach/slug.ts";
import { findState, type State } from "../../teach/state.ts";
import { readConfig } from "./config.ts";
import type { Io } from "./io.ts";
import { bookOf } from "./open-daybook.ts";
import type { CommonFlags } from "./options.ts";
import { usageError } from "./flags.ts";

/**
 * Where preferences, lessons and captured questions are kept; null if only files given on the command line are
 * queried.
 */
export function stateOf(io: Io, flags: Pick<CommonFlags, "home" | "root" | "sample">): State | null {
  const isByHand = flags.sample === true || (flags.root !== undefined && flags.home === undefined);
  const book = (): string | null => (isByHand ? null : (bookOf(io, flags) ?? null));
  return findState({ env: io.env, home: homeDirectory(io.env), book, isNamed: flags.home !== undefined });
}

/** The project of the current directory, by its name in the state. */
export function slugHere(io: Io, state: State | null): string {
  return slugOf(io.cwd ?? null, state, io.env);
}

export interface StateFlags {
  home?: string;
  json?: boolean;
}

/** For commands that read no sessions. */
export function stateFlags(command: Command): Command {
  return command.option(
    "--home <dir>",
    "Daybook's home; gstack's files are used where $GSTACK_STATE_ROOT or $GSTACK_HOME names them, or ~/.gstack is there",
  );
}

/** For commands that write. */
export function writableState(io: Io, flags: StateFlags): State {
  const state = stateOf(io, flags);
  if (state) return state;
  throw usageError("there is no place to store it", "name one with --home DIR");
}

/**
 * Asks the person at the terminal. Input from a pipe, or from a shell that an agent runs, was not typed by a human:
 * then this throws instead of answering no. The programs that started this one are asked too, because a shell can drop
 * its own variables.
 */
async function confirmByHuman(io: Io, question: string): Promise<boolean> {
  if ([io.env, ...(io.ancestors?.() ?? [])].some(isAgentShell)) throw needsHuman("an agent runs this shell");
  if (!io.ask || io.inIsTerminal !== true || !io.outIsTerminal || io.controlsTerminal === false)
    throw needsHuman("there is no terminal");
  const answer = await io.ask(`${question} Type yes: `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.err("daybook: nothing was written\n");
  return false;
}

function needsHuman(why: string): DaybookError {
  return new DaybookError(`only a person at a terminal can do this: ${why}`, {
    code: "usage",
    op: "ask the user",
    hint: "nothing was written; run it in a terminal of your own",
  });
}

/** Through which of gstack's commands the person says it, for the record; null if none is named. */
export function writerOf(given: string | undefined): Writer | null {
  if (given === undefined) return null;
  const writer = WRITERS.find((one) => one === given);
  if (writer) return writer;
  throw usageError(`${given} may not set preferences`, `only ${WRITERS.join(" and ")} may`);
}

/** The writer to record, once a person has confirmed the change at a terminal; null if the answer was no. */
export async function allowedWriter(io: Io, writer: Writer | null, question: string): Promise<Writer | null> {
  return (await confirmByHuman(io, question)) ? (writer ?? "inline-user") : null;
}

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
