import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { WORKSPACE_SCHEMA, type Metadata } from "./window.ts";

export type ExistingFolder =
  | { kind: "absent" }
  | { kind: "workspace"; metadata: Metadata }
  /** Something else is there; `ours` when it is still a workspace that may be rebuilt. */
  | { kind: "invalid"; ours: boolean };

export interface Counts {
  projects: number;
  sessions: number;
  turns: number;
}

/** What is at the path of the workspace. An empty folder counts as absent. */
export function examineFolder(path: string): ExistingFolder {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: "absent" };
  if (!stat.isDirectory()) return { kind: "invalid", ours: false };
  const names = readdirSync(path);
  if (names.length === 0) return { kind: "absent" };
  const value = readJson(join(path, "metadata.json"));
  if (isMetadata(value)) return { kind: "workspace", metadata: value };
  return { kind: "invalid", ours: isOfSomeVersion(value) || looksLaidOut(path, names) };
}

const TOP = new Set([
  "metadata.json",
  "projects",
  "daily-report.json",
  "report.md",
  "report.html",
  "report.notion.json",
  "AGENTS.md",
  "narration",
]);

/**
 * Without readable metadata a folder counts as ours only if nothing else could have made it: no foreign name near the
 * top.
 */
function looksLaidOut(path: string, names: readonly string[]): boolean {
  if (!names.every((name) => TOP.has(name)) || !names.includes("projects")) return names.join() === "metadata.json";
  return listNames(join(path, "projects")).every((name) => /-[0-9a-f]{12}$/.test(name));
}

function isOfSomeVersion(value: unknown): boolean {
  const found = value as Partial<Metadata> | null | undefined;
  return typeof found?.schema_version === "number" && typeof found.report_date === "string";
}

function isMetadata(value: unknown): value is Metadata {
  if (!isOfSomeVersion(value)) return false;
  const found = value as Partial<Metadata>;
  if (found.schema_version !== WORKSPACE_SCHEMA) return false;
  const words = [found.timezone, found.status, found.prepared_at];
  return (
    words.every((word) => typeof word === "string") &&
    hasEnds(found.report_window_local) &&
    hasEnds(found.report_window_utc)
  );
}

function hasEnds(value: unknown): boolean {
  const window = value as { start?: unknown; end?: unknown } | null | undefined;
  return typeof window?.start === "string" && typeof window.end === "string";
}

/** Every point in which two workspaces are of different days, as texts. */
export function mismatches(expected: Metadata, found: Metadata): string[] {
  const there = identityOf(found);
  return Object.entries(identityOf(expected))
    .filter(([key, value]) => there[key] !== value)
    .map(([key, value]) => `${key}: expected ${value}, found ${there[key]}`);
}

/** What identifies the workspace of a day. When it was prepared does not matter. */
function identityOf(metadata: Metadata): Record<string, string> {
  const { report_date, timezone, status, report_window_local: local, report_window_utc: utc } = metadata;
  return {
    report_date,
    timezone,
    status,
    "report_window_local.start": local.start,
    "report_window_local.end": local.end,
    "report_window_utc.start": utc.start,
    "report_window_utc.end": utc.end,
  };
}

/** Throws unless the existing workspace is the one asked for. `again` is the command that would rebuild it. */
export function assertReusable(
  found: Exclude<ExistingFolder, { kind: "absent" }>,
  expected: Metadata,
  path: string,
  again: string,
): void {
  const wrong = found.kind === "invalid" ? [] : mismatches(expected, found.metadata);
  if (found.kind === "workspace" && wrong.length === 0) return;
  const what =
    found.kind === "invalid"
      ? `the metadata of ${path} is missing or invalid`
      : `${path} is a workspace of something else: ${wrong.join("; ")}`;
  throw new DaybookError(what, { code: "invalid", op: "reuse workspace", path, hint: `to replace it: ${again}` });
}

/** Throws when something would be deleted that Daybook did not make. */
export function assertReplaceable(found: ExistingFolder, path: string, isOwnPlace: boolean): void {
  if (found.kind !== "invalid" || found.ours || isOwnPlace) return;
  throw new DaybookError(`${path} is not a workspace; it will not be replaced`, {
    code: "usage",
    op: "replace workspace",
    path,
    hint: "give --out a folder that is new or empty, or remove this one yourself",
  });
}

/** Counts without validating: a folder without an index is a project without sessions. */
export function countWorkspace(path: string): Counts {
  const counts: Counts = { projects: 0, sessions: 0, turns: 0 };
  const root = join(path, "projects");
  for (const name of listNames(root)) {
    if (statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    counts.projects++;
    for (const row of indexLines(join(root, name))) {
      counts.sessions++;
      const turns = (row as { turns?: unknown } | null)?.turns;
      counts.turns += Array.isArray(turns) ? turns.length : 0;
    }
  }
  return counts;
}

function indexLines(project: string): unknown[] {
  try {
    const text = readFileSync(join(project, "sessions.index.jsonl"), "utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => parse(line));
  } catch {
    return [];
  }
}

export function listNames(path: string): string[] {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return [];
  }
}

/** Undefined when there is no such file or it is not JSON. */
export function readJson(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
