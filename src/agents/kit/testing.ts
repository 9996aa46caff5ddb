import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RecordBody, RecordType } from "../../record/record.ts";
import type { Cursor, Entry, ReadContext, Source, SourceRef } from "../contract.ts";

/** Helpers shared by the tests of several sources. */

/**
 * The working directory of a genuine session: the first plain path in its file that ends with the name of the corpus.
 */
export function workedIn(path: string, corpus: string): string {
  const end = corpus.replaceAll(".", "\\.");
  return new RegExp(`(?<![\\w.-])(?:/[\\w-]+)+/${end}`).exec(readFileSync(path, "utf8"))?.[0] ?? "(nowhere)";
}

let serial = 0;

export function uuid(): string {
  serial += 1;
  return `00000000-0000-4000-8000-${serial.toString(16).padStart(12, "0")}`;
}

/** A timestamp that advances by one second with each `uuid()`. */
export function clock(): string {
  return new Date(Date.UTC(2026, 4, 12, 8, 0, serial % 3600)).toISOString();
}

export function classes(entries: readonly Entry[]): string {
  return entries.map((entry) => entry.class).join(" ");
}

export function reasons(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.reason);
}

/** All canonical records of one type, in order. */
export function bodies<T extends RecordType>(entries: readonly Entry[], type: T): Extract<RecordBody, { type: T }>[] {
  const out: Extract<RecordBody, { type: T }>[] = [];
  for (const entry of entries)
    for (const body of entry.records) if (body.type === type) out.push(body as Extract<RecordBody, { type: T }>);
  return out;
}

/** `kind: text` of every trigger. */
export function prompts(entries: readonly Entry[]): string[] {
  return entries
    .filter((entry) => entry.class === "trigger")
    .map((entry) => {
      const [body] = bodies([entry], "user").slice(-1);
      return `${body?.kind ?? "?"}: ${body?.text ?? ""}`;
    });
}

/** `call: status exit` of every settlement. */
export function settlements(entries: readonly Entry[]): string[] {
  return bodies(entries, "tool_finished").map((body) => `${body.call_id}: ${body.status} ${body.exit_code ?? "-"}`);
}

/** The parts of an entry that must be the same at every level of detail. */
export function shapeOf(entry: Entry): unknown {
  const records = entry.records.map((body) => {
    if (body.type === "usage" || (body.type === "user" && body.author === "human")) return body;
    return body.type === "tool_finished" ? [body.call_id, body.status, body.exit_code, body.files] : body.type;
  });
  return [entry.class, entry.reason, entry.identity, entry.time, entry.tentative, records];
}

/** How the tests of one source make and read sessions. */
export interface Fixtures {
  scratch: () => string;
  refOf: (path: string) => SourceRef;
  /** Writes strings as they are and other records as JSON. */
  writeSession: (records: readonly unknown[], path?: string) => string;
  readPath: (path: string, ctx?: Partial<ReadContext>, cursor?: Cursor | null) => Entry[];
  read: (records: readonly unknown[], ctx?: Partial<ReadContext>) => Entry[];
  /** Every genuine session file. */
  corpusFiles: (directory?: string) => string[];
  /** The genuine file whose path contains this text. */
  corpusFile: (part: string) => string;
  /** Entries with the cursor after each. */
  readWithCursors: (path: string) => { entries: Entry[]; cursors: Cursor[] };
  /**
   * Reads the file cut at a byte offset, then the whole file from the resulting cursor. `certain`: not tentative
   * entries.
   */
  readInTwo: (path: string, whole: Buffer, cut: number) => { certain: Entry[]; rest: Entry[] };
}

/** `corpus`: directory of the genuine files; `file`: path of a session file within a scratch directory. */
export function fixturesOf(options: {
  source: string;
  corpus: string;
  file: string;
  readSession: Source["read"];
}): Fixtures {
  const { source, corpus, file, readSession } = options;
  const scratch = (): string => mkdtempSync(join(tmpdir(), `daybook-${source}-`));
  const refOf = (path: string): SourceRef => {
    const { size, mtimeMs } = statSync(path);
    return { source, path, size, mtimeMs, container: path.endsWith(".json") ? "json" : "jsonl" };
  };
  const writeSession: Fixtures["writeSession"] = (records, path = join(scratch(), file)) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, records.map((item) => `${typeof item === "string" ? item : JSON.stringify(item)}\n`).join(""));
    return path;
  };
  const readPath: Fixtures["readPath"] = (path, ctx = {}, cursor = null) => [
    ...readSession(refOf(path), cursor, { detail: "full", ...ctx }),
  ];
  const corpusFiles = (directory: string = corpus): string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? corpusFiles(path) : entry.name.endsWith(".jsonl") ? [path] : [];
    });
  return {
    scratch,
    refOf,
    writeSession,
    readPath,
    corpusFiles,
    read: (records, ctx = {}) => readPath(writeSession(records), ctx),
    corpusFile: (part) => corpusFiles().find((path) => path.includes(part)) ?? "",
    readWithCursors(path) {
      const reading = readSession(refOf(path), null, { detail: "full" });
      const entries: Entry[] = [];
      const cursors: Cursor[] = [];
      for (const entry of reading) {
        entries.push(entry);
        cursors.push(JSON.parse(JSON.stringify(reading.cursor())) as Cursor);
      }
      return { entries, cursors };
    },
    readInTwo(path, whole, cut) {
      writeFileSync(path, whole.subarray(0, cut));
      const reading = readSession(refOf(path), null, { detail: "full" });
      const first = [...reading];
      const cursor = reading.cursor();
      writeFileSync(path, whole);
      return { certain: first.slice(0, cursor.line), rest: readPath(path, {}, cursor) };
    },
  };
}
