import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, vi } from "vitest";
import type { SqlValue } from "../../src/base/io/sqlite.ts";
import { assistant, text, user } from "../../src/agents/claude-code/testing.ts";
import { FileTimeCache } from "../../src/book/reading/file-times.ts";
import { openSources } from "../../src/book/reading/library.ts";
import type { Entry } from "../../src/agents/contract.ts";
import { readPage } from "../../src/book/pages/page-reader.ts";
import { PageWriter, removePage } from "../../src/book/pages/page.ts";
import type { ReadDemand } from "../../src/index/sync/reading-order.ts";
import { sync, type SyncDemand, type SyncOptions, type SyncReport } from "../../src/index/sync/sync.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { open, scratch } from "./fixture.ts";
import { tablesOf, type Tables } from "./tables.ts";

/** A record, or a string that is written as it is. */
export type Line = Record<string, unknown> | string;
export type Counts = Partial<SyncReport>;

export const ID = "11111111-2222-4333-8444-55555555555";

/** A query or write method of the index. */
type IndexMethod = (this: IndexStore, sql: string, ...params: SqlValue[]) => unknown;

interface Failure {
  pattern: RegExp;
  /** The last digit of a session of this store, or the end of any parameter. */
  session: number | string;
  error: unknown;
}

/** Statements that match the pattern and have a parameter that names the session throw the error. */
export const broken: { at: Failure | null } = { at: null };
const spies = (["all", "get", "run"] as const).map((name) => {
  const original = Object.getOwnPropertyDescriptor(IndexStore.prototype, name)?.value as IndexMethod;
  const failing: IndexMethod = function (sql, ...params) {
    const { pattern, session, error } = broken.at ?? {};
    if (
      pattern?.test(sql) &&
      params.some((one) => String(one).endsWith(typeof session === "number" ? `${ID}${session}` : (session ?? "")))
    )
      throw error;
    return original.call(this, sql, ...params);
  };
  return vi.spyOn(IndexStore.prototype, name).mockImplementation(failing as never);
});
const [allSpy] = spies;
afterEach(() => void (broken.at = null));

/** The query that loads the saved state of all files of a session. */
export const LOAD: RegExp = /^SELECT u\.\*, m\.saved/;

/** The query before the rows of a new session are written, which the thread that read its only file made. */
export const WRITE: RegExp = /^SELECT 1 FROM session WHERE key/;

/** The last digits of the sessions that were assembled whole: those whose saved state was loaded. */
function assembledSessions(): string {
  const calls = allSpy?.mock.calls.filter(([sql]) => LOAD.test(sql)) ?? [];
  return calls.map((call) => String(call[2]).at(-1)).join("");
}

export class Store {
  readonly dir: string = scratch("decisions");
  readonly home: string = scratch("decisions-home");
  readonly roots: Record<string, string[]>;
  /** The last digits of the sessions that the last sync assembled whole; all others were updated incrementally. */
  assembled = "";
  readonly notes: string[] = [];
  #clock = Date.UTC(2026, 5, 1) / 1000;

  constructor(source = "claude-code") {
    this.roots = { [source]: [this.dir] };
  }

  path(n = 1, folder = "p"): string {
    return join(this.dir, folder, `${ID}${n}.jsonl`);
  }

  write(lines: readonly Line[], path: string = this.path()): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map(lineOf).join(""));
    this.#stamp(path);
  }

  append(lines: readonly Line[], path: string = this.path()): void {
    appendFileSync(path, lines.map(lineOf).join(""));
    this.#stamp(path);
  }

  /** Sets increasing modification times, because the newest file is read first. */
  #stamp(path: string): void {
    this.#clock += 10;
    utimesSync(path, this.#clock, this.#clock);
  }

  async sync(more: SyncDemand & { roots?: Record<string, string[]> } = {}): Promise<SyncReport> {
    const { roots = this.roots, ...how } = more;
    const daybook = open(roots, this.home, { onNote: (note) => void this.notes.push(note) });
    for (const spy of spies) spy.mockClear();
    const report = await daybook.sync(how);
    this.assembled = assembledSessions();
    daybook.close();
    return report;
  }

  /** A sync for a query that needs some of the files. */
  async syncFor(need: ReadDemand, more: Pick<SyncOptions, "signal" | "onProgress"> = {}): Promise<SyncReport> {
    const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
    const opened = openSources({ roots: this.roots, env: {}, home: "/nowhere" });
    const naming = { home: "/nowhere", given: {} };
    for (const spy of spies) spy.mockClear();
    const report = await sync(opened, { home: this.home, naming, dayOf, times: new FileTimeCache(), need, ...more });
    this.assembled = assembledSessions();
    return report;
  }

  /** The last digits of the sessions of all files in the index, in the order in which they were read. */
  known(): string {
    const store = IndexStore.openExisting(this.home);
    const names = store?.files().map(({ session_id }) => session_id.at(-1)) ?? [];
    store?.close();
    return names.join("");
  }

  async prompts(): Promise<string[]> {
    const daybook = open(this.roots, this.home);
    const turns = await daybook.turns();
    expect((await daybook.audit()).balanced).toBe(true);
    daybook.close();
    return turns.map((turn) => turn.trigger.text ?? "").toSorted();
  }

  tables(): Tables {
    return tablesOf(this.home);
  }

  /** The paths of its pages, without extensions. */
  pages(): string[] {
    const rows = this.tables()["file"] ?? [];
    return rows.map((row) => (JSON.parse(row) as { page: string }).page);
  }

  /** Rewrites the page of the only file as a reader of the given version would have written it. */
  rewriteAs(reader: number, change: (entry: Entry) => Entry): void {
    const base = join(this.home, this.pages()[0] ?? "");
    const { head, commit } = readPage(base).state;
    const entries = [...readPage(base).entries()].map(change);
    if (!head || !commit.seen) throw new Error("incomplete page");
    removePage(base);
    const writer = new PageWriter(base, head, false);
    for (const entry of entries) writer.add(entry);
    writer.commit(commit, { seen: { ...commit.seen, reader } });
    writer.close();
  }

  responses(): number {
    return this.tables()["usage"]?.length ?? 0;
  }

  /** The tables of a fresh index of the present files. */
  async fromEmpty(): Promise<Tables> {
    const home = scratch("decisions-fresh");
    const daybook = open(this.roots, home);
    await daybook.sync();
    daybook.close();
    return tablesOf(home);
  }
}

export const lineOf = (line: Line): string => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
export const at = (second: number): Line => ({
  timestamp: new Date(Date.UTC(2026, 4, 12, 8, 0, second)).toISOString(),
});
export const usage = (output: number): Line => ({ input_tokens: 10, output_tokens: output });
export const promptLine = (words: string, second: number, more: Line = {}): Line =>
  user(words, { ...(at(second) as object), sessionId: `${ID}1`, ...(more as object) });
/** The same lines with the id of another session. */
export const inSession = (n: number, lines: readonly Line[]): Line[] =>
  lines.map((line) => (typeof line === "string" ? line : { ...line, sessionId: `${ID}${n}` }));
export const answerLine = (words: string, second: number, id = `m${second}`): Line =>
  assistant(
    [text(words)],
    { id, stop: "end_turn", usage: usage(5) as never },
    {
      ...(at(second) as object),
      sessionId: `${ID}1`,
    },
  );
export const turn = (n: number, words = `question ${n}`): Line[] => [
  promptLine(words, n * 10),
  answerLine(`answer ${n}`, n * 10 + 1),
];

/** The counts of a report that most tests check. */
export function countsOf({ files_read, entries, sessions_refreshed, gone, unreadable }: SyncReport): Counts {
  return { files_read, entries, sessions_refreshed, gone, ...(unreadable.length > 0 ? { unreadable } : {}) };
}

export const NOTHING: Counts = { files_read: 0, entries: 0, sessions_refreshed: 0, gone: 0 };
