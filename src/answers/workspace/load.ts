import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import type { IndexRow, TargetLines } from "./index-row.ts";
import { examineFolder, listNames } from "./reuse.ts";
import type { Metadata } from "./window.ts";

export interface LoadedProject {
  key: string;
  label: string;
  path: string;
  rows: IndexRow[];
}

export interface LoadedWorkspace {
  path: string;
  metadata: Metadata;
  projects: LoadedProject[];
}

/** Reads a workspace and checks every reference in it, so that later steps can trust the index. */
export function loadWorkspace(path: string): LoadedWorkspace {
  const found = examineFolder(path);
  if (found.kind === "absent") throw noWorkspace(path);
  if (found.kind === "invalid")
    throw brokenWorkspace(join(path, "metadata.json"), "the metadata is missing or invalid");
  const root = join(path, "projects");
  const projects = listNames(root).map((key) => loadProject(join(root, key), key));
  return { path, metadata: found.metadata, projects };
}

export function noWorkspace(path: string): DaybookError {
  return new DaybookError(`no workspace at ${path}`, {
    code: "not_found",
    op: "open workspace",
    path,
    hint: "`daybook workspace prepare` makes one, `daybook workspace list` shows what there is",
  });
}

function loadProject(path: string, key: string): LoadedProject {
  const file = join(path, "project.json");
  const head = object(readJsonFile(file), file);
  if (head["project_key"] !== key) throw brokenWorkspace(file, `project_key is not ${key}, the folder's name`);
  const label = typeof head["project_label"] === "string" ? head["project_label"] : key;
  const index = join(path, "sessions.index.jsonl");
  const rows = readText(index)
    .split("\n")
    .filter((line) => line !== "")
    .map((line, i) => loadRow(line, `${index}:${i + 1}`));
  const refs = rows.map((row) => row.session_ref);
  if (new Set(refs).size !== refs.length) throw brokenWorkspace(index, "a session_ref stands twice");
  return { key, label, path, rows };
}

function loadRow(text: string, where: string): IndexRow {
  const row = object(parseJson(text, where), where) as unknown as IndexRow;
  if (typeof row.session_ref !== "string" || !/^S\d{4,}$/.test(row.session_ref))
    throw brokenWorkspace(where, "bad session_ref");
  if (!isUnderSessions(row.session_path)) throw brokenWorkspace(where, "session_path leads out of the sessions folder");
  if (!Array.isArray(row.turns)) throw brokenWorkspace(where, "turns is no list");
  assertSpan(row.target_start_line, row.target_end_line, where);
  for (const turn of row.turns as readonly (TargetLines | null)[]) {
    if (typeof turn?.turn_ref !== "string" || !/^T\d{4,}$/.test(turn.turn_ref))
      throw brokenWorkspace(where, "bad turn_ref");
    assertSpan(turn.turn_start_line, turn.turn_end_line, where);
  }
  return row;
}

function assertSpan(start: unknown, end: unknown, where: string): void {
  if (!Number.isInteger(start) || !Number.isInteger(end) || Number(start) < 1 || Number(end) < Number(start))
    throw brokenWorkspace(where, `lines ${String(start)} to ${String(end)} are no span`);
}

function isUnderSessions(path: unknown): boolean {
  if (typeof path !== "string" || path.includes("\\") || posix.isAbsolute(path)) return false;
  const parts = path.split("/");
  return (
    parts[0] === "sessions" && parts.length > 1 && parts.every((part) => part !== ".." && part !== "." && part !== "")
  );
}

function object(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw brokenWorkspace(where, "not a JSON object");
}

export function readJsonFile(path: string): unknown {
  return parseJson(readText(path), path);
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw brokenWorkspace(where, "not JSON", cause);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw brokenWorkspace(path, "cannot be read", cause);
  }
}

export function brokenWorkspace(path: string, why: string, cause?: unknown): DaybookError {
  return new DaybookError(`${path}: ${why}`, {
    code: "invalid",
    op: "read workspace",
    path,
    hint: "`daybook workspace prepare … --force` rebuilds the workspace",
    cause,
  });
}

/** Folders that are named like a day, newest first. */
export function dayFolders(root: string): string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true });
    const days = entries.filter((entry) => entry.isDirectory() && /^\d{4}-\d{2}-\d{2}$/.test(entry.name));
    return days.map((entry) => entry.name).toSorted((a, b) => (a < b ? 1 : -1));
  } catch {
    return [];
  }
}
