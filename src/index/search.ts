import { join } from "node:path";
import { DaybookError } from "../errors.ts";
import { readRecord } from "../book/page-reader.ts";
import type { Row } from "../io/sqlite.ts";
import type { RecordBody } from "../log/record.ts";
import type { TimeRange } from "../time/range.ts";
import { iso } from "../time/zone.ts";
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
}

export interface SearchResult {
  source: string;
  session_id: string;
  session_path: string;
  project: string;
  turn_ref: string | null;
  line: number;
  kind: SearchKind;
  time: string | null;
  /** The words around the first match; `matches` are offsets into it. */
  snippet: string;
  matches: [number, number][];
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
    `SELECT d.line, d.kind, d.time, d.at, d.bytes, u.path, u.page, u.source, u.session_id, s.key, s.project, bm25(text) * ${WEIGHT} AS score
     FROM text JOIN doc d ON d.id = text.rowid JOIN unit u ON u.id = d.unit JOIN session s ON s.key = u.source || '/' || u.session_id
     WHERE ${where.join(" AND ")} ORDER BY score, d.id LIMIT ?`,
    ...params,
    scope === null ? query.limit : query.limit * 20,
  );
  const chosen = rows.filter((row) => scope === null || scope.has(String(row["key"]))).slice(0, query.limit);
  return chosen.map((row) => toResult(store, row, wordsOf(query.text)));
}

function toResult(store: IndexStore, row: Row, words: readonly string[]): SearchResult {
  const body = readRecord(join(store.home, String(row["page"])), Number(row["at"]), Number(row["bytes"]));
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
    ...snippet(body ? textOf(body) : "", words),
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

/** The words of a query without its syntax, as they may stand in a text. */
function wordsOf(query: string): string[] {
  const words = [...query.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => (match[1] ?? match[2] ?? "").replace(/\*$/, ""));
  return words.filter((word) => word !== "").map((word) => word.toLowerCase());
}

const BEFORE = 60;
const WIDTH = 240;

function snippet(text: string, words: readonly string[]): { snippet: string; matches: [number, number][] } {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at !== -1);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = Math.max(0, first - BEFORE);
  // Cuts must not fall inside a surrogate pair.
  const from = /[\udc00-\udfff]/.test(text.charAt(start)) ? start + 1 : start;
  const piece = text.slice(from, from + WIDTH).replace(/[\ud800-\udbff]$/, "");
  const low = piece.toLowerCase();
  const matches: [number, number][] = [];
  for (const word of words) {
    for (let at = low.indexOf(word); at !== -1 && matches.length < 50; at = low.indexOf(word, at + word.length))
      matches.push([at, at + word.length]);
  }
  return { snippet: piece, matches: matches.toSorted((a, b) => a[0] - b[0]) };
}
