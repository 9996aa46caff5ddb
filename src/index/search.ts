import { join } from "node:path";
import { DaybookError } from "../errors.ts";
import { readRecord } from "../book/page-reader.ts";
import type { Row } from "../io/sqlite.ts";
import type { RecordBody } from "../log/record.ts";
import type { Entry } from "../sources/source.ts";
import type { TimeRange } from "../time/range.ts";
import { iso } from "../time/zone.ts";
import { redact } from "../redact/redact.ts";
import { snippetOf, type Snippet } from "./snippet.ts";
import { expression } from "./terms.ts";
import type { IndexStore } from "./store.ts";

export const SEARCH_KINDS = [
  "prompt",
  "reply",
  "reasoning",
  "input",
  "output",
  "error",
  "summary",
  "injected",
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchQuery {
  text: string;
  kinds: readonly string[];
  range: TimeRange;
  project?: string | undefined;
  session?: string | undefined;
  limit: number;
  /** False shows what looks like a secret. */
  redact?: boolean | undefined;
}

export interface SearchResult extends Snippet {
  source: string;
  session_id: string;
  session_path: string;
  project: string;
  turn_ref: string | null;
  line: number;
  kind: SearchKind;
  time: string | null;
  score: number;
}

/** What a person meant is found before what a machine wrote. */
const WEIGHT =
  "CASE d.kind WHEN 'prompt' THEN 3.0 WHEN 'reply' THEN 2.0 WHEN 'summary' THEN 1.5 WHEN 'output' THEN 0.7 WHEN 'injected' THEN 0.5 ELSE 1.0 END";

export function search(store: IndexStore, query: SearchQuery, scope: ReadonlySet<string> | null): SearchResult[] {
  const match = expression(query.text);
  if (match === "") {
    throw new DaybookError("nothing to search for", { code: "usage", op: "search", hint: "give at least one word" });
  }
  const where = ["text MATCH ?"];
  const params: (string | number)[] = [match];
  if (query.kinds.length > 0) {
    where.push(`d.kind IN (${query.kinds.map(() => "?").join(", ")})`);
    params.push(...query.kinds);
  }
  if (query.range.start !== null) where.push(`d.time >= ${query.range.start}`);
  if (query.range.end !== null) where.push(`d.time < ${query.range.end}`);
  if (query.project !== undefined) {
    where.push("(s.project = ? OR s.project_key = ? OR s.cwd = ?)");
    params.push(query.project, query.project, query.project);
  }
  if (query.session !== undefined) {
    where.push("s.key = ?");
    params.push(query.session);
  }
  const rows = store.all(
    `SELECT d.unit, d.line, d.kind, d.time, d.at, d.bytes, u.path, u.page, u.source, u.session_id, s.key, s.project, bm25(text) * ${WEIGHT} AS score
     FROM text JOIN doc d ON d.id = text.rowid JOIN unit u ON u.id = d.unit JOIN session s ON s.key = u.source || '/' || u.session_id
     WHERE ${where.join(" AND ")} ORDER BY score, d.time DESC, s.key, u.path, d.line, d.at LIMIT ?`,
    ...params,
    scope === null ? query.limit : query.limit * 20,
  );
  const chosen = rows.filter((row) => scope === null || scope.has(String(row["key"]))).slice(0, query.limit);
  return chosen.map((row) => toResult(store, row, query));
}

function toResult(store: IndexStore, row: Row, query: SearchQuery): SearchResult {
  const body = recordOf(store, row);
  const text = body ? textOf(body) : "";
  const path = String(row["path"]);
  const turn = store.get(
    "SELECT ref FROM turn WHERE session = ? AND path = ? AND first <= ? AND last >= ? ORDER BY first DESC LIMIT 1",
    ...[String(row["key"]), path, Number(row["line"]), Number(row["line"])],
  );
  return {
    source: String(row["source"]),
    session_id: String(row["session_id"]),
    session_path: path,
    project: String(row["project"]),
    turn_ref: typeof turn?.["ref"] === "string" ? turn["ref"] : null,
    line: Number(row["line"]),
    kind: String(row["kind"]) as SearchKind,
    time: iso(row["time"] === null ? null : Number(row["time"])),
    // Hidden before the cut: half a secret would no longer be known as one.
    ...snippetOf(query.redact === false ? text : redact(text), query.text),
    score: Math.round(-Number(row["score"]) * 1000) / 1000,
  };
}

function textOf(body: RecordBody): string {
  switch (body.type) {
    case "user":
    case "assistant_finished":
    case "reasoning_finished":
      return body.text;
    case "tool_started":
      return `${body.name} ${typeof body.input === "string" ? body.input : JSON.stringify(body.input)}`;
    case "tool_finished":
      return body.output ?? "";
    case "failed":
      return body.message;
    case "compacted":
      return body.summary ?? "";
    default:
      return "";
  }
}

/** Uncertain records are in no log yet: the index keeps them with their file. */
function recordOf(store: IndexStore, row: Row): RecordBody | null {
  const [at, bytes] = [Number(row["at"]), Number(row["bytes"])];
  if (at >= 0) return readRecord(join(store.home, String(row["page"])), at, bytes);
  const tail = store.get("SELECT tail FROM memory WHERE unit = ?", Number(row["unit"]))?.["tail"];
  const entries = JSON.parse(typeof tail === "string" ? tail : "[]") as Entry[];
  return entries.find((entry) => entry.line === Number(row["line"]))?.records[bytes] ?? null;
}
