import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Io } from "../../src/doors/cli/io.ts";
import { main } from "../../src/doors/cli/main.ts";
import { inside, type Daybook } from "../../src/answers/daybook.ts";
import type { IndexRow } from "../../src/answers/workspace/index-row.ts";
import type { Manifest } from "../../src/answers/workspace/manifest.ts";
import { prepareWorkspace, type Prepared, type PrepareRequest } from "../../src/answers/workspace/prepare.ts";
import { folder, NOW, type Span } from "./build.ts";

/** What `prepare` wrote, read back from disk. */
export interface Workspace extends Prepared {
  home: string;
  /** Project label to its rows. */
  rows: Record<string, IndexRow[]>;
  notes: Manifest;
}

/** The workspace of 2026-05-12, in a new home directory unless the request names one. */
export async function prepared(book: Daybook, request: Partial<PrepareRequest> = {}): Promise<Workspace> {
  const home = request.home ?? join(folder(), "home");
  const done = await prepareWorkspace(inside(book), { now: NOW, ...request, home });
  return { ...done, home, rows: rowsIn(done.workspace), notes: json(done.manifest) as Manifest };
}

export function rowsIn(workspace: string): Record<string, IndexRow[]> {
  const root = join(workspace, "projects");
  const entries = readdirSync(root).map((key) => {
    const head = json(join(root, key, "project.json")) as { project_label: string };
    const lines = readFileSync(join(root, key, "sessions.index.jsonl"), "utf8")
      .split("\n")
      .slice(0, -1);
    return [head.project_label, lines.map((line) => JSON.parse(line) as IndexRow)] as const;
  });
  return Object.fromEntries(entries);
}

export function json(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Every row, whatever its project. */
export function all(workspace: Workspace): IndexRow[] {
  return Object.values(workspace.rows).flat();
}

export function ids(workspace: Workspace): string[] {
  return all(workspace).map((row) => row.source_session_id);
}

export function spansIn(row: IndexRow | undefined): Span[] {
  return (row?.turns ?? []).map((turn) => [turn.turn_start_line, turn.turn_end_line]);
}

/** Relative paths of all files below a folder, with their bytes. */
export function filesBelow(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(root.length + 1)] = readFileSync(path, "latin1");
  }
  return found;
}

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs one command line. */
export async function run(
  args: readonly string[],
  env: Record<string, string>,
  now: number = NOW,
  more: Partial<Io> = {},
): Promise<Ran> {
  const ran: Ran = { code: 0, out: "", err: "" };
  ran.code = await main(args, {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env,
    now,
    columns: 100,
    outIsTerminal: false,
    inIsTerminal: false,
    errIsTerminal: false,
    ...more,
  });
  return ran;
}
