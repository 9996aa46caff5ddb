import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { editEvents } from "./blame/calls.ts";
import type { BlameTurn, BlameView } from "./blame/view.ts";
import type { PriceTable } from "../views/pricing/price-table.ts";
import { DaybookError } from "../base/errors.ts";
import type { Git } from "../base/io/git.ts";
import { iso } from "../base/time/zone.ts";
import { VERSION } from "../base/version.ts";
import { addTo } from "../base/maps.ts";
import type { AnswerContext } from "./answer-context.ts";
import { blameAmong, commitOf, sessionsAround } from "./blaming.ts";

/** An Agent Trace 0.1 record: which line ranges of files at a revision were written in which conversation. */
export interface AgentTrace {
  version: "0.1.0";
  id: string;
  timestamp: string;
  vcs: { type: "git"; revision: string };
  tool: { name: string; version: string };
  files: AgentTraceFile[];
}

export interface AgentTraceFile {
  /** Relative to the root of the repository. */
  path: string;
  conversations: {
    url: string;
    contributor: { type: "ai"; model_id?: string };
    ranges: AgentTraceRange[];
  }[];
}

export interface AgentTraceRange {
  start_line: number;
  end_line: number;
  /** `sha256:` of its lines, joined by line feeds: identifies the same text if the range moves. */
  content_hash: string;
}

/** Lines that are not proven to be written by a turn are in no range, which the format treats as unknown. */
export async function agentTrace(ctx: AnswerContext, revision: string, cwd: string): Promise<AgentTrace> {
  const { git, files } = sessionsAround(ctx, { path: join(cwd, ".git"), cwd });
  if (!git) throw new DaybookError("not in a git repository", { code: "not_found", op: "export" });
  const { hash, time } = commitOf(git, revision);
  const touched = new Set(
    editEvents(await files.all()).flatMap(({ edit }) =>
      "to" in edit && edit.to !== null ? [edit.path, edit.to] : [edit.path],
    ),
  );
  const formers = renamesBefore(git, hash);
  const names = (git.ask("ls-tree", "-r", "-z", "--name-only", hash) ?? "").split("\0");
  const out: AgentTraceFile[] = [];
  for (const path of names.filter((name) => [...formers(name)].some((one) => touched.has(join(git.root, one))))) {
    const view = await blameAmong(files, git, { path: join(git.root, path), lines: null, revision: hash }).catch(
      () => null,
    );
    if (view && view.turns.length > 0)
      out.push({ path, conversations: view.turns.map((turn) => conversation(turn, view, ctx.prices)) });
  }
  const made = {
    vcs: { type: "git" as const, revision: hash },
    tool: { name: "agent-daybook", version: VERSION },
    files: out,
  };
  return { version: "0.1.0", id: idOf(JSON.stringify(made)), timestamp: iso(time) ?? "", ...made };
}

/** The name of a file and all its former names. */
function renamesBefore(git: Git, revision: string): (name: string) => ReadonlySet<string> {
  const said =
    git.ask("log", "--format=", "-M", "--name-status", "--diff-filter=R", "--end-of-options", revision) ?? "";
  const from = new Map<string, string[]>();
  for (const row of said.split("\n")) {
    const [, before, after] = row.split("\t");
    if (before !== undefined && after !== undefined) addTo(from, after, before);
  }
  return (name) => {
    const all = new Set([name]);
    // A set yields entries that are added during iteration, so chains of renames are followed.
    for (const one of all) for (const before of from.get(one) ?? []) all.add(before);
    return all;
  };
}

function conversation(
  turn: BlameTurn,
  { lines }: BlameView,
  prices: PriceTable,
): AgentTraceFile["conversations"][number] {
  const runs: { start_line: number; end_line: number; texts: string[] }[] = [];
  for (const { line, text, turn: by } of lines) {
    if (by !== turn.turn) continue;
    const last = runs.at(-1);
    if (last?.end_line === line - 1) {
      last.end_line = line;
      last.texts.push(text);
    } else runs.push({ start_line: line, end_line: line, texts: [text] });
  }
  const ranges = runs.map(({ texts, ...range }) => ({ ...range, content_hash: `sha256:${hashOf(texts.join("\n"))}` }));
  const url = `${pathToFileURL(turn.session_path).href}#${turn.turn_ref}`;
  const model = turn.model === null ? {} : { model_id: modelId(turn.model, prices) };
  return { url, contributor: { type: "ai", ...model }, ranges };
}

/** Vendor names that models.dev spells differently. */
const SELLERS: Readonly<Record<string, string>> = { "x-ai": "xai" };
const LONGEST_ID = 250;

/** `provider/model`, as in models.dev; the model name alone if its vendor is unknown. */
function modelId(model: string, prices: PriceTable): string {
  const seller = model.includes("/") ? null : prices.providerOf(model);
  return (seller === null ? model : `${SELLERS[seller] ?? seller}/${model}`).slice(0, LONGEST_ID);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A UUID of version 8 (custom content) derived from the record: equal records have equal ids. */
function idOf(text: string): string {
  const hex = hashOf(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
