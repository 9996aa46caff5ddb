import { readdirSync } from "node:fs";
import { messageOf } from "../base/errors.ts";
import { parseJson } from "../base/io/json.ts";
import { readText } from "../base/io/regular-file.ts";
import type { JsonObject } from "./json-file.ts";
import { stateFile, type State } from "./state.ts";

/** One line of a project's question log. */
export interface LoggedLine {
  /** The project folder of the log. */
  slug: string;
  question_id: string;
  summary: string;
  choice: string;
  source: string;
  /** Null when it is missing or invalid. */
  time: string | null;
  fields: JsonObject;
}

export interface LoggedLines {
  lines: LoggedLine[];
  /** Messages about files or lines that could not be parsed. */
  problems: string[];
}

/** Reads the logs of all projects, or of one. */
export function readLogs(state: State | null, only?: string): LoggedLines {
  const found: LoggedLines = { lines: [], problems: [] };
  if (state === null) return found;
  for (const slug of only === undefined ? slugsIn(state) : [only]) readLog(state, slug, found);
  return found;
}

function slugsIn(state: State): string[] {
  try {
    return readdirSync(stateFile.projects(state)).sort();
  } catch {
    return [];
  }
}

function readLog(state: State, slug: string, found: LoggedLines): void {
  const path = stateFile.questionLog(state, slug);
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")))
      found.problems.push(`${path}: ${messageOf(error)}`);
    return;
  }
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const logged = parseLogLine(line, slug);
    if (logged) found.lines.push(logged);
    else found.problems.push(`${path}:${i + 1}: no question`);
  }
}

/** Parses a line of a question log; null when it is none. */
export function parseLogLine(text: string, slug: string): LoggedLine | null {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const fields = value as JsonObject;
  const { question_id: id, question_summary: summary, user_choice: choice, source, ts } = fields;
  if (typeof id !== "string" || typeof choice !== "string") return null;
  return {
    slug,
    question_id: id,
    choice,
    fields,
    summary: typeof summary === "string" ? summary : "",
    source: typeof source === "string" ? source : "agent",
    time: typeof ts === "string" && !Number.isNaN(Date.parse(ts)) ? new Date(ts).toISOString() : null,
  };
}

export function textField({ fields }: LoggedLine, name: string): string | null {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : null;
}
