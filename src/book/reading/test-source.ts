/** What every reader must be able to do, checked on sessions of its agent: for readers that others write. */
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import {
  BESIDE,
  type Cursor,
  type Entry,
  type ReadContext,
  type Source,
  type SourceRef,
} from "../../agents/contract.ts";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";

/** What a reader does wrong. */
export interface SourceProblem {
  /** The rule that is broken, in words. */
  check: string;
  /** The session it was found in; null if it concerns all. */
  path: string | null;
  message: string;
}

/** How many sessions are looked at closely, and at how many places of each. */
const MOST_SESSIONS = 8;
const PLACES = 24;

/**
 * Reads the sessions under a root (a directory, or a file) in every way Daybook reads sessions, and returns what the
 * reader does wrong: nothing if it fulfils the contract. Works on a copy; the sessions are never changed.
 */
export function testSource(source: Source, root: string): SourceProblem[] {
  const scratch = mkdtempSync(join(tmpdir(), "daybook-source-"));
  try {
    const copy = join(scratch, basename(root));
    cpSync(root, copy, { recursive: true });
    const problems = new SourceTest(source, copy, scratch).run();
    return problems.map((one) => ({ ...one, path: one.path === null ? null : join(root, relative(copy, one.path)) }));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

class SourceTest {
  readonly #source: Source;
  readonly #root: string;
  readonly #scratch: string;
  readonly #problems: SourceProblem[] = [];

  constructor(source: Source, root: string, scratch: string) {
    this.#source = source;
    this.#root = root;
    this.#scratch = scratch;
  }

  run(): SourceProblem[] {
    const refs = this.#guard("finds sessions without throwing", null, () => this.#discovery()) ?? [];
    const step = Math.max(1, Math.ceil(refs.length / MOST_SESSIONS));
    for (const ref of refs.filter((_, i) => i % step === 0)) {
      const before = digest(ref.path);
      this.#guard("reads without throwing", ref, () => this.#session(ref));
      if (isLines(ref)) this.#guard("reads damaged files without throwing", ref, () => this.#damage(ref, refs));
      this.#expect(digest(ref.path) === before, "leaves files as they are", ref, "the file was changed");
    }
    return this.#problems;
  }

  #expect(holds: boolean, check: string, ref: SourceRef | null, message: string): void {
    // One problem of a kind in a session is enough.
    if (holds || this.#problems.some((one) => one.check === check && one.path === (ref?.path ?? null))) return;
    this.#problems.push({ check, path: ref?.path ?? null, message });
  }

  #guard<T>(check: string, ref: SourceRef | null, what: () => T): T | null {
    try {
      return what();
    } catch (error) {
      this.#expect(false, check, ref, error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  #discover(root: string, codes: string[] = []): SourceRef[] {
    const home = join(this.#scratch, "no-home");
    const report = ({ code }: { code: string }): unknown => codes.push(code);
    return [...this.#source.discover({ env: {}, home, roots: [root], report })];
  }

  #discovery(): SourceRef[] {
    const source = this.#source;
    const refs = this.#discover(this.#root);
    this.#expect(refs.length > 0, "finds sessions", null, `none below ${this.#root}`);
    const again = this.#discover(this.#root);
    this.#expect(
      same(refs, again),
      "finds the same sessions in the same order every time",
      null,
      "the second time others",
    );
    const names = new Set(refs.map(({ path, key }) => `${path}#${key ?? ""}`));
    this.#expect(names.size === refs.length, "finds each session once", null, `${refs.length - names.size} repeated`);
    const codes: string[] = [];
    const none = this.#discover(join(this.#root, "no", "such", "root"), codes);
    const isReported = none.length === 0 && codes.includes("root_missing");
    this.#expect(isReported, "reports a missing root", null, `reported: ${codes.join(", ") || "nothing"}`);
    for (const ref of refs) {
      this.#expect(ref.source === source.id, "names itself in what it finds", ref, `source is ${ref.source}`);
      this.#expect(source.recognises(ref), "recognises what it finds", ref, "not recognised");
      this.#expect(source.sessionId(ref) !== "", "has an id for each session", ref, "the id is empty");
    }
    return refs;
  }

  #read(ref: SourceRef, ctx: ReadContext = { detail: "full" }, cursor: Cursor | null = null): Entry[] {
    return [...this.#source.read(ref, cursor, ctx)];
  }

  #draft(ref: SourceRef, detail: ReadContext["detail"]): FileDraft {
    const reading = this.#source.read(ref, null, { detail });
    return buildDraft(ref, this.#source.sessionId(ref), reading, { ledger: false, toolDetail: false });
  }

  #session(ref: SourceRef): void {
    const entries = this.#read(ref);
    this.#expect(same(entries, this.#read(ref)), "reads the same every time", ref, "the second time other entries");
    this.#expect(
      this.#read(ref, { detail: "full", signal: AbortSignal.abort() }).length === 0,
      "stops when aborted",
      ref,
      "went on",
    );
    for (const [i, entry] of entries.entries()) this.#entry(ref, entry, entries[i - 1]);
    if (isLines(ref)) this.#expectEachLine(ref, entries);
    this.#resuming(ref, entries);
    this.#detail(ref, entries);
  }

  #entry(ref: SourceRef, entry: Entry, before: Entry | undefined): void {
    const at = `line ${entry.line}`;
    this.#expect(/^[\w-]+\.\S/.test(entry.reason), "names its rules `agent.rule`", ref, `${at}: ${entry.reason}`);
    this.#expect(entry.native !== "", "names the type of every record", ref, at);
    const named = entry.class !== "trigger" || (entry.identity ?? "") !== "";
    this.#expect(named, "has an identity for every trigger", ref, at);
    if (!before) return;
    this.#expect(entry.line === before.line + 1, "yields one entry per record, in order", ref, at);
    const forward = entry.offset >= before.offset && entry.position >= before.position;
    this.#expect(forward, "never goes back in a file", ref, at);
  }

  #expectEachLine(ref: SourceRef, entries: readonly Entry[], path: string = ref.path): void {
    const lines = countLines(readFileSync(path));
    const read = entries.filter(({ native }) => !native.startsWith(BESIDE)).length;
    this.#expect(read === lines, "yields one entry per line", ref, `${read} entries of ${lines} lines`);
  }

  /** Reading may stop after any entry and go on in another process. */
  #resuming(ref: SourceRef, entries: readonly Entry[]): void {
    const reading = this.#source.read(ref, null, { detail: "full" });
    const step = Math.max(1, Math.floor(entries.length / PLACES));
    let at = 0;
    for (const { line } of reading) {
      if (at++ % step !== 0) continue;
      const cursor = JSON.parse(JSON.stringify(reading.cursor())) as Cursor;
      const done = entries.filter((entry) => entry.line <= cursor.line);
      const all = [...done, ...this.#read(ref, { detail: "full" }, cursor)];
      this.#expect(same(all, entries), "resumes after any entry", ref, `other entries after line ${line}`);
      const certain = !done.some(({ tentative }) => tentative);
      this.#expect(certain, "keeps its cursor before tentative entries", ref, `at line ${line}`);
    }
  }

  #detail(ref: SourceRef, entries: readonly Entry[]): void {
    const lean = this.#read(ref, { detail: "lean" });
    this.#expect(
      same(verdictsOf(lean), verdictsOf(entries)),
      "decides the same in `lean` detail",
      ref,
      "other classes",
    );
    const full = this.#draft(ref, "full");
    for (const detail of ["lean", "usage"] as const) {
      const draft = this.#draft(ref, detail);
      this.#expect(
        same(promptsOf(draft), promptsOf(full)),
        `keeps what a human asked in \`${detail}\` detail`,
        ref,
        "texts differ",
      );
      this.#expect(
        same(draft.usage, full.usage),
        `counts the same tokens in \`${detail}\` detail`,
        ref,
        "tokens differ",
      );
    }
    this.#balance(ref, full);
  }

  #balance(ref: SourceRef, { records, tokens }: FileDraft): void {
    const { owned_by_turns, setup, session_level, inherited, duplicates, unknown, corrupt } = records;
    const sum = owned_by_turns + setup + session_level + inherited + duplicates + unknown + corrupt;
    this.#expect(sum === records.records_read, "accounts for every record", ref, `${sum} of ${records.records_read}`);
    const counted = tokens.counted + tokens.duplicates + tokens.inherited + tokens.estimates;
    this.#expect(
      counted === tokens.tokens_read,
      "accounts for every token",
      ref,
      `${counted} of ${tokens.tokens_read}`,
    );
  }

  /** Crashes and full disks leave files that are cut, filled with zeros, or have lines of others in them. */
  #damage(ref: SourceRef, refs: readonly SourceRef[]): void {
    if (refs.filter(({ path }) => path === ref.path).length > 1) return;
    const whole = readFileSync(ref.path);
    const entries = this.#read(ref);
    const path = join(this.#scratch, basename(ref.path));
    const copy = { ...ref, path };
    for (let i = 1; i < PLACES; i++) {
      const at = Math.floor((i * whole.length) / PLACES);
      const cut = whole.subarray(0, at);
      for (const bytes of [
        cut,
        Buffer.from(whole).fill(0, at, Math.min(whole.length, at + 300)),
        Buffer.concat([cut, FOREIGN, whole.subarray(at)]),
      ]) {
        writeFileSync(path, bytes);
        this.#expectEachLine(ref, this.#read(copy), path);
        this.#balance(ref, this.#draft(copy, "full"));
      }
      this.#growing(ref, copy, cut, whole, entries);
    }
    rmSync(path);
  }

  /** A session that is read while it is written ends as one that was read at once. */
  #growing(ref: SourceRef, copy: SourceRef, part: Buffer, whole: Buffer, entries: readonly Entry[]): void {
    writeFileSync(copy.path, part);
    const reading = this.#source.read(copy, null, { detail: "full" });
    const first = [...reading];
    const cursor = JSON.parse(JSON.stringify(reading.cursor())) as Cursor;
    writeFileSync(copy.path, whole);
    const all = [...first.filter(({ line }) => line <= cursor.line), ...this.#read(copy, { detail: "full" }, cursor)];
    const check = "reads a growing file as it reads the whole";
    this.#expect(same(classesOf(all), classesOf(entries)), check, ref, `other entries when cut at byte ${part.length}`);
  }
}

const FOREIGN = Buffer.from('\n{"type":42}\n[]\nnull\n\n{not json\n');

function isLines({ container }: SourceRef): boolean {
  return container === "jsonl" || container === "text";
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What must be equal whatever the detail. */
function verdictsOf(entries: readonly Entry[]): unknown {
  return entries.map(({ line, class: cls, reason, time, identity, tentative }) => [
    line,
    cls,
    reason,
    time,
    identity,
    tentative,
  ]);
}

function promptsOf({ turns }: FileDraft): string[] {
  return turns.filter(({ delegated }) => !delegated).map(({ trigger }) => trigger.text);
}

/** Of the lines of the file alone. */
function classesOf(entries: readonly Entry[]): unknown {
  return entries
    .filter(({ native }) => !native.startsWith(BESIDE))
    .map(({ line, class: cls, reason }) => [line, cls, reason]);
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function countLines(bytes: Buffer): number {
  let lines = bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0;
  for (const byte of bytes) if (byte === 0x0a) lines++;
  return lines;
}
