/** Where histories are, and the inputs that Aider stores beside them. */
import { readdirSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { textAt } from "../../base/io/named-path.ts";
import type { DiagnosticCode, DiscoverContext, PromptWitness, SideFacts, SourceRef } from "../contract.ts";
import { HISTORY, INPUT_HISTORY, SOURCE_ID, scanRuns, stampOf, type Run } from "./native.ts";

/**
 * Aider has no central store: every repository holds its own history. Only the paths the user names, in `roots` or in
 * `DAYBOOK_AIDER_DIRS`, and the projects other agents worked in are searched; a home directory is never searched.
 */
function placesOf(ctx: DiscoverContext): string[] {
  if (ctx.roots) return [...ctx.roots];
  const listed = ctx.env["DAYBOOK_AIDER_DIRS"] ?? "";
  return listed.split(delimiter).filter((path) => path.trim() !== "");
}

/**
 * Histories in the projects of known sessions: in the directory itself, or in a parent up to the top of its repository.
 */
function knownHistories(ctx: DiscoverContext): string[] {
  const found: string[] = [];
  for (const dir of ctx.roots ? [] : (ctx.worked_in ?? [])) {
    for (let at = resolve(dir); ; at = dirname(at)) {
      const path = join(at, HISTORY);
      if (statOf(path)?.isFile()) found.push(path);
      if (statOf(join(at, ".git")) !== null || dirname(at) === at || !statOf(at)) break;
    }
  }
  return found;
}

/** The runs of every history found, ordered by file and position in it. */
export function* discoverAider(ctx: DiscoverContext): Generator<SourceRef, void, undefined> {
  for (const path of historiesOf(ctx)) {
    const stat = statOf(path);
    if (!stat) continue;
    const known = ctx.known?.(path) ?? [];
    if (isUnchanged(known, stat)) {
      yield* known;
      continue;
    }
    let runs: Run[];
    try {
      runs = scanRuns(path);
    } catch {
      report(ctx, "file_unreadable", path, "the file cannot be opened");
      continue;
    }
    for (const run of runs) {
      yield {
        source: SOURCE_ID,
        path,
        key: run.key,
        size: run.end - run.from.offset,
        mtimeMs: stat.mtimeMs,
        container: "text",
        stamp: stampOf(run),
      };
    }
  }
}

/** True if the known runs cover the whole file, without gaps, and the newest has the file's modification time. */
function isUnchanged(known: readonly SourceRef[], stat: Stats): boolean {
  const size = known.reduce((sum, ref) => sum + ref.size, 0);
  return size === stat.size && size > 0 && Math.max(...known.map((ref) => ref.mtimeMs)) === stat.mtimeMs;
}

/** History files in the named paths: in the directory itself and in its immediate subdirectories. */
export function historiesOf(ctx: DiscoverContext): string[] {
  const found = new Set<string>(knownHistories(ctx));
  for (const place of placesOf(ctx)) {
    const root = resolve(place);
    const stat = statOf(root);
    ctx.looked?.(root);
    if (!stat) report(ctx, "root_missing", root, "there is no such directory or file");
    else if (stat.isFile()) found.add(root);
    else for (const path of inDirectory(root, ctx)) found.add(path);
  }
  return [...found].sort();
}

function inDirectory(root: string, ctx: DiscoverContext): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(root, { withFileTypes: true });
  } catch (error) {
    report(ctx, "root_unreadable", root, error instanceof Error ? error.message : "cannot be listed");
    return [];
  }
  const here = [root, ...entries.filter((entry) => !entry.isFile()).map((entry) => join(root, entry.name))];
  return here
    .filter((directory) => basename(directory) !== ".git")
    .map((directory) => join(directory, HISTORY))
    .filter((path) => statOf(path)?.isFile());
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function report(ctx: DiscoverContext, code: DiagnosticCode, path: string, message: string): void {
  ctx.report({ code, source: SOURCE_ID, path, message });
}

/** One input typed at Aider's prompt, as recorded by prompt_toolkit. */
interface TypedInput {
  line: number;
  /** Epoch ms; the file has no zone, so this machine's is assumed. */
  time: number;
  text: string;
}

const STAMP = /^# (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\s*$/;

/** `# 2024-08-08 15:03:22.123456`, then every line of the text prefixed with `+`. */
function parseInputHistory(text: string): TypedInput[] {
  const out: TypedInput[] = [];
  let current: TypedInput | null = null;
  for (const [i, raw] of text.split("\n").entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const stamp = STAMP.exec(line);
    if (stamp) {
      const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = stamp.slice(1, 7).map(Number);
      const ms = Math.trunc(Number(`0.${stamp[7] ?? "0"}`) * 1000);
      current = { line: i + 1, time: new Date(year, month - 1, day, hour, minute, second, ms).getTime(), text: "" };
    } else if (line.startsWith("+") && current) {
      if (current.text === "") out.push(current);
      current.text = current.text === "" ? line.slice(1) : `${current.text}\n${line.slice(1)}`;
    }
  }
  return out;
}

function readInputHistory(directory: string): TypedInput[] {
  // Most published histories come without this file.
  return parseInputHistory(textAt(join(directory, INPUT_HISTORY), Number.POSITIVE_INFINITY) ?? "");
}

/** When the prompts of one run were typed. Both files are in order, so each search starts after the last match. */
export class TypingTimes {
  readonly #typed: TypedInput[];

  constructor(historyPath: string, from: number | null, until: number | null) {
    const all = from === null ? [] : readInputHistory(dirname(historyPath));
    this.#typed = all.filter((one) => one.time >= (from ?? 0) && (until === null || one.time < until));
  }

  /** The entry for a prompt, at or after index `next`. A text typed between braces was entered line by line. */
  find(text: string, next: number): { time: number; next: number } | null {
    const lines = text.trim().split("\n");
    for (const wanted of lines.length > 1 ? [text.trim(), (lines[0] ?? "").trim()] : [text.trim()]) {
      for (let i = next; i < this.#typed.length; i++) {
        const typed = this.#typed[i];
        if (typed?.text.trim() === wanted) return { time: typed.time, next: i + 1 };
      }
    }
    return null;
  }
}

/** What was typed, with times, whether or not the chat history still has it. Aider has no titles. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  return { titles: () => new Map(), histories: [], prompts: () => promptsIn(ctx) };
}

function promptsIn(ctx: DiscoverContext): PromptWitness[] {
  const prompts: PromptWitness[] = [];
  for (const history of historiesOf({ ...ctx, report: () => undefined })) {
    const cwd = dirname(history);
    const path = join(cwd, INPUT_HISTORY);
    for (const { line, time, text } of readInputHistory(cwd)) {
      prompts.push({ source: SOURCE_ID, path, line, sessionId: null, time, text, cwd });
    }
  }
  return prompts;
}
