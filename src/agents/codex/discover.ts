/** Where rollouts are, and what Codex stores beside them. */
import { closeSync, readSync, readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { join } from "node:path";
import { openZstd } from "../../base/io/bytes.ts";
import { instant } from "../../base/io/instant.ts";
import { openFile } from "../../base/io/regular-file.ts";
import type { Diagnostic, DiagnosticCode, DiscoverContext, PromptWitness, SideFacts, SourceRef } from "../contract.ts";
import { JsonLines } from "../kit/json-lines.ts";
import { NOT_A_REGULAR_FILE, noteTitles, statOf, withSeparator } from "../kit/session-files.ts";
import { numberOf, stringOf, wordOf, type Fields } from "./native.ts";

/** Codex stores its sessions under one home: current ones in dated folders, archived ones in one flat folder. */
const STORES = ["sessions", "archived_sessions"];
const ROLLOUT = /^rollout-.*\.(?:jsonl|jsonl\.zst|json)$/;
const SESSION_FILE = /\.(?:jsonl|jsonl\.zst|json)$/;
/** The file with the titles of all sessions, in the Codex home. */
const TITLES = "session_index.jsonl";
const SIDE_FILES: ReadonlySet<string> = new Set(["history.jsonl", TITLES]);

/** The Codex home; null when a blank variable turns the source off. */
function homeOf(ctx: Pick<DiscoverContext, "env" | "home">): string | null {
  const set = ctx.env.CODEX_HOME?.trim();
  if (set === undefined) return join(ctx.home, ".codex");
  return set === "" ? null : set;
}

export function* discoverRollouts(ctx: DiscoverContext): Generator<SourceRef, void, undefined> {
  const walk = new Walk(ctx);
  if (ctx.roots === null) {
    const home = homeOf(ctx);
    if (home === null) return;
    ctx.looked?.(home);
    if (walk.stat(home) === null) walk.report("root_missing", home, "there is no Codex home here");
    else for (const store of STORES) walk.folder(join(home, store), true);
    walk.titles(home);
  } else
    for (const root of ctx.roots) {
      walk.root(root);
      walk.titles(root);
    }
  yield* walk.refs();
}

class Walk {
  readonly #ctx: DiscoverContext;
  readonly #found = new Map<string, SourceRef>();
  /** Real paths of folders walked: a link back to one of them is not followed again. */
  readonly #seen = new Set<string>();
  /** Linked folders are walked after the real ones, so that a file gets its real path if that is also below a root. */
  readonly #linked: { path: string; strict: boolean }[] = [];

  constructor(ctx: DiscoverContext) {
    this.#ctx = ctx;
  }

  /** The refs, sorted by path. Skips a compressed copy beside its plain file: Codex itself prefers the plain one. */
  *refs(): Generator<SourceRef, void, undefined> {
    for (let next = this.#linked.shift(); next; next = this.#linked.shift()) this.folder(next.path, next.strict);
    const paths = [...this.#found.keys()].sort();
    for (const path of paths) {
      const ref = this.#found.get(path);
      if (!ref) continue;
      if (ref.container === "jsonl.zst" && this.#found.has(path.slice(0, -".zst".length))) {
        this.report("file_duplicate", path, "a plain copy of this compressed session stands beside it");
        continue;
      }
      yield ref;
    }
  }

  titles(home: string): void {
    const file = statOf(join(home, TITLES));
    noteTitles(this.#ctx, home, file ? [file] : []);
  }

  root(root: string): void {
    this.#ctx.looked?.(root);
    const stats = this.stat(root);
    if (stats === null) return this.report("root_missing", root, "this path does not exist");
    if (!stats.isDirectory()) return this.#take(root, stats);
    const stores = STORES.filter((store) => this.stat(join(root, store))?.isDirectory() === true);
    if (stores.length === 0) return this.folder(root, false);
    for (const store of stores) this.folder(join(root, store), false);
  }

  /**
   * Walks a folder; `known` is its real path if that follows from the parent folder. `strict` accepts files by name
   * only; otherwise files with other names are accepted if their content fits.
   */
  folder(path: string, strict: boolean, known?: string): void {
    let entries: Dirent[];
    let real: string;
    try {
      real = known ?? realpathSync.native(path);
      if (this.#seen.has(real)) return;
      this.#seen.add(real);
      entries = readdirSync(path, { withFileTypes: true });
    } catch (cause) {
      const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      if (!missing) this.report("root_unreadable", path, "this folder cannot be read");
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    // The path of a root may not be normalised; paths below it are.
    const within = known === undefined ? join(path, "x").slice(0, -1) : withSeparator(path);
    const reallyWithin = withSeparator(real);
    for (const entry of entries) {
      const inside = within + entry.name;
      if (entry.isDirectory()) this.folder(inside, strict, reallyWithin + entry.name);
      else this.#entry(inside, entry, strict);
    }
  }

  #entry(path: string, entry: Dirent, strict: boolean): void {
    const linked = entry.isSymbolicLink();
    const stats = this.stat(path);
    if (stats === null) return;
    if (linked && stats.isDirectory()) {
      this.#linked.push({ path, strict });
      return;
    }
    if (!stats.isFile()) {
      if (ROLLOUT.test(entry.name)) this.report("file_unreadable", path, NOT_A_REGULAR_FILE);
      return;
    }
    if (!SESSION_FILE.test(entry.name) || SIDE_FILES.has(entry.name)) return;
    if (ROLLOUT.test(entry.name)) return this.#take(path, stats);
    if (strict) return;
    if (this.#ctx.known?.(path).length || looksLikeRollout(path)) this.#take(path, stats);
    else this.report("file_foreign", path, "this file is no Codex session");
  }

  #take(path: string, stats: Stats): void {
    const container = path.endsWith(".zst") ? "jsonl.zst" : path.endsWith(".json") ? "json" : "jsonl";
    this.#found.set(path, { source: "codex", path, size: stats.size, mtimeMs: stats.mtimeMs, container });
  }

  stat(path: string): Stats | null {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  }

  report(code: DiagnosticCode, path: string, message: string): void {
    const diagnostic: Diagnostic = { code, source: "codex", path, message };
    this.#ctx.report(diagnostic);
  }
}

const SNIFFED_BYTES = 16 * 1024;
const ENVELOPE = /"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context)"/;
const HEADER = /^\uFEFF?\s*\{\s*(?:"(?:id|timestamp|instructions|git)"\s*:)/;
const DOCUMENT = /^\uFEFF?\s*\{\s*"session"\s*:\s*\{[\s\S]*"items"\s*:/;

/** Whether the first bytes of a file look like a rollout, for files whose name does not tell. */
export function looksLikeRollout(path: string): boolean {
  const head = headOf(path);
  if (ENVELOPE.test(head) && head.includes('"payload"')) return true;
  if (DOCUMENT.test(head)) return true;
  return (
    HEADER.test(head) && (head.includes('"record_type"') || /"instructions"\s*:/.test(head.split("\n", 1)[0] ?? ""))
  );
}

function headOf(path: string): string {
  const buffer = Buffer.alloc(SNIFFED_BYTES);
  try {
    if (path.endsWith(".zst")) {
      const stream = openZstd(path, 0);
      try {
        return buffer.toString("utf8", 0, stream.read(buffer, 0));
      } finally {
        stream.close();
      }
    }
    const fd = openFile(path);
    try {
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, SNIFFED_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}

/** Titles and prompts that Codex stores beside its sessions. The prompts survive when a transcript is deleted. */
export function sideFacts(ctx: DiscoverContext): SideFacts {
  const homes = (ctx.roots ?? [homeOf(ctx)]).flatMap((home) => home ?? []);
  const histories = homes.map((home) => join(home, "history.jsonl"));
  return {
    titles: () => titlesIn(homes, ctx),
    histories,
    prompts: () => histories.flatMap((path) => promptsIn(path, ctx)),
  };
}

function titlesIn(homes: readonly string[], ctx: DiscoverContext): Map<string, string | null> {
  const titles = new Map<string, string | null>();
  for (const home of homes) {
    for (const { value } of linesOf(join(home, TITLES), ctx)) {
      const id = wordOf(value.id);
      const name = stringOf(value.thread_name);
      // An empty name means that the title was removed.
      if (id !== null && name !== null) titles.set(id, name.trim() === "" ? null : name);
    }
  }
  return titles;
}

function promptsIn(path: string, ctx: DiscoverContext): PromptWitness[] {
  return [...linesOf(path, ctx)].flatMap(({ value, line }) => witness(value, path, line) ?? []);
}

function witness(value: Fields, path: string, line: number): PromptWitness | null {
  const text = stringOf(value.text);
  if (text === null) return null;
  const seconds = numberOf(value.ts);
  return {
    source: "codex",
    path,
    line,
    sessionId: wordOf(value.session_id),
    time: seconds === null ? null : instant(seconds * 1000),
    text,
    cwd: null,
  };
}

function* linesOf(path: string, ctx: DiscoverContext): Generator<{ value: Fields; line: number }, void, undefined> {
  // A root may be a single file, which has no side files.
  const stats = statOf(path);
  if (stats?.isFile() !== true) return;
  const ref: SourceRef = { source: "codex", path, size: stats.size, mtimeMs: stats.mtimeMs, container: "jsonl" };
  let lines: JsonLines;
  try {
    lines = new JsonLines(ref, null, { detail: "full" });
  } catch {
    ctx.report({ code: "file_unreadable", source: "codex", path, message: "this file cannot be read" });
    return;
  }
  try {
    for (let line = lines.next(); line !== null; line = lines.next()) {
      if (line.value !== null) yield { value: line.value, line: line.line };
    }
  } finally {
    lines.close();
  }
}
