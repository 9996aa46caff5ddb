import { PageWriter } from "../book/page.ts";
import type { RecordBody } from "../log/record.ts";
import type { Cursor, Drift, Entry, Source, SourceRef } from "../sources/source.ts";
import { DraftBuilder, type SavedBuilder } from "../turns/builder.ts";
import type { Job } from "../reading/pool.ts";
import { sourceOf } from "../reading/read-file.ts";
import { packText, unpackText } from "./packed-text.ts";
import { indexed } from "./terms.ts";

/** Read what is new of one file into its page. Runs in any thread; touches no database. */
export interface IngestOrder {
  ref: SourceRef;
  /** Path of the page without its endings. */
  page: string;
  cursor: Cursor | null;
  /** The turn builder at rest: packed JSON. */
  saved: Uint8Array | null;
  durable: boolean;
}

export interface Ingested {
  session_id: string;
  cursor: Cursor;
  /** Packed. */
  saved: Uint8Array;
  tail: Entry[];
  drift: Drift;
  /** Sessions this one names as parent, child or origin, as keys. */
  links: string[];
  identities: string[];
  docs: Doc[];
  entries: number;
}

export type IngestJob = Job & IngestOrder & { want: "ingest" };

/** Failures are values: one unreadable file stops nothing. */
export function ingestJob(job: IngestJob): { done?: Ingested; error?: string } {
  try {
    return { done: ingest(sourceOf(job.ref), job) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** A text to be found again: line, kind, time, place in the log, words. */
export type Doc = [line: number, kind: string, time: number | null, at: number, bytes: number, text: string];

/** Files above this are kept compressed: `jq` reads the small ones, `daybook export` all. */
const LARGE = 256 * 1024;
const COMMIT_EVERY = 20_000;
const LONG = 16 * 1024;
const OUTPUT = 2 * 1024;

export function ingest(source: Source, order: IngestOrder): Ingested {
  const { ref } = order;
  const reading = source.read(ref, order.cursor, { detail: "full" });
  const saved = order.saved === null ? undefined : (JSON.parse(unpackText(order.saved)) as SavedBuilder);
  const sessionId = saved?.session_id ?? source.sessionId(ref);
  const builder = new DraftBuilder(ref, sessionId, { ledger: false, toolDetail: true }, saved);
  const page = new PageWriter(order.page, sessionId, ref.size > LARGE);
  const docs: Doc[] = [];
  const tail: Entry[] = [];
  let entries = 0;
  try {
    for (const entry of reading) {
      entries++;
      // The cursor stays before the first uncertain entry, so what follows it will be read again too.
      if (entry.tentative || tail.length > 0) {
        tail.push(entry);
        continue;
      }
      builder.push(entry);
      collect(docs, entry, page.add(entry));
      if (entries % COMMIT_EVERY === 0)
        page.commit({ line: entry.line, offset: entry.offset + entry.bytes + 1 }, [], order.durable);
    }
    const cursor = reading.cursor();
    if (entries > 0 || page.line === 0) page.commit(cursor, tail, order.durable);
    const rest = builder.save();
    return {
      session_id: rest.session_id,
      cursor,
      saved: packText(JSON.stringify(rest)),
      tail,
      drift: reading.drift(),
      links: linksOf(rest, ref.source),
      identities: source.capabilities.globalIdentities ? rest.turns.flatMap((turn) => turn.identity ?? []) : [],
      docs,
      entries,
    };
  } finally {
    page.close();
  }
}

function linksOf(rest: SavedBuilder, source: string): string[] {
  const keys = rest.children.map((link) => `${link.child.source}/${link.child.session_id}`);
  if (rest.meta.parent) keys.push(`${rest.meta.parent.source}/${rest.meta.parent.session_id}`);
  if (rest.meta.forked_from !== null) keys.push(`${source}/${rest.meta.forked_from}`);
  return [...new Set(keys)];
}

function collect(docs: Doc[], entry: Entry, places: readonly [number, number][]): void {
  for (const [i, [at, bytes]] of places.entries()) {
    const body = entry.records[i];
    const found = body ? words(body) : null;
    if (found) docs.push([entry.line, found[0], entry.time, at, bytes, indexed(found[1])]);
  }
}

/** What of a record can be searched for, and as what. Long outputs keep their beginning and end: there the news is. */
function words(body: RecordBody): [string, string] | null {
  switch (body.type) {
    case "user":
      return body.text === "" ? null : [body.author === "human" ? "prompt" : "injected", cut(body.text, LONG)];
    case "assistant_finished":
      return body.text === "" ? null : ["reply", cut(body.text, LONG)];
    case "reasoning_finished":
      return body.text === "" ? null : ["reasoning", cut(body.text, LONG)];
    case "tool_started":
      return [
        "input",
        cut(`${body.name} ${typeof body.input === "string" ? body.input : JSON.stringify(body.input)}`, OUTPUT),
      ];
    case "tool_finished":
      return body.output ? ["output", cut(body.output, OUTPUT)] : null;
    case "failed":
      return ["error", cut(body.message, OUTPUT)];
    case "compacted":
      return body.summary ? ["summary", cut(body.summary, LONG)] : null;
    default:
      return null;
  }
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * 0.75);
  return `${text.slice(0, head)}\n${text.slice(text.length - (limit - head))}`;
}
