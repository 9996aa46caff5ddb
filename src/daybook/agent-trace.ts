import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BlameTurn, BlameView } from "../blame/view.ts";
import { DaybookError } from "../errors.ts";
import { iso } from "../time/zone.ts";
import { VERSION } from "../version.ts";
import type { Asking } from "./asking.ts";
import { blameAmong, commitOf, sessionsAround } from "./blaming.ts";
import { glances } from "./turns.ts";

/** A record of Agent Trace 0.1: which ranges of files at a revision were written in which conversation. */
export interface AgentTrace {
  version: "0.1.0";
  id: string;
  timestamp: string;
  vcs: { type: "git"; revision: string };
  tool: { name: string; version: string };
  files: AgentTraceFile[];
}

export interface AgentTraceFile {
  /** From the root of the repository. */
  path: string;
  conversations: {
    url: string;
    contributor: { type: "ai"; model_id?: string };
    ranges: { start_line: number; end_line: number }[];
  }[];
}

/** Lines that are not proven to be of a turn are in no range, which the format reads as unknown. */
export async function agentTrace(asking: Asking, revision: string, cwd: string): Promise<AgentTrace> {
  const { git, files } = sessionsAround(asking, { path: join(cwd, ".git"), cwd });
  if (!git) throw new DaybookError("not in a git repository", { code: "not_found", op: "export" });
  const { hash, time } = commitOf(git, revision);
  const touched = new Set(
    (await glances(asking, {}, true)).flatMap((glance) => glance.files.map(({ path }) => basename(path))),
  );
  const names = (git.ask("ls-tree", "-r", "-z", "--name-only", hash) ?? "").split("\0");
  const out: AgentTraceFile[] = [];
  for (const path of names.filter((name) => touched.has(basename(name)))) {
    const view = await blameAmong(files, git, { path: join(git.root, path), lines: null, revision: hash }).catch(
      () => null,
    );
    if (view && view.turns.length > 0)
      out.push({ path, conversations: view.turns.map((turn) => conversation(turn, view)) });
  }
  const made = {
    vcs: { type: "git" as const, revision: hash },
    tool: { name: "agent-daybook", version: VERSION },
    files: out,
  };
  return { version: "0.1.0", id: idOf(JSON.stringify(made)), timestamp: iso(time) ?? "", ...made };
}

function conversation(turn: BlameTurn, { lines }: BlameView): AgentTraceFile["conversations"][number] {
  const ranges: { start_line: number; end_line: number }[] = [];
  for (const { line, turn: by } of lines) {
    if (by !== turn.turn) continue;
    const last = ranges.at(-1);
    if (last?.end_line === line - 1) last.end_line = line;
    else ranges.push({ start_line: line, end_line: line });
  }
  const url = `${pathToFileURL(turn.session_path).href}#${turn.turn_ref}`;
  const model = turn.model === null ? {} : { model_id: turn.model };
  return { url, contributor: { type: "ai", ...model }, ranges };
}

/** The same for the same record: a UUID of version 8, which is free to be made so. */
function idOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
