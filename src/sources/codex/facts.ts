import { statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { JsonLines } from "../kit/json-lines.ts";
import type { DiscoverContext, PromptWitness, SideFacts, SourceRef } from "../contract.ts";
import { homeOf, TITLES } from "./discover.ts";
import { numberOf, stringOf, wordOf, type Fields } from "./fields.ts";
import { instant } from "../../io/instant.ts";

/** Titles and prompts that Codex stores beside its sessions. The prompts survive when a transcript is deleted. */
export function sideFacts(ctx: DiscoverContext): SideFacts {
  const homes = (ctx.roots ?? [homeOf(ctx)]).flatMap((home) => home ?? []);
  const histories = homes.map((home) => join(home, "history.jsonl"));
  return {
    titles: () => titlesIn(homes, ctx),
    histories,
    prompts: () => histories.flatMap((path) => promptsIn(path, ctx)),
  };
}

function titlesIn(homes: readonly string[], ctx: DiscoverContext): Map<string, string | null> {
  const titles = new Map<string, string | null>();
  for (const home of homes) {
    for (const { value } of linesOf(join(home, TITLES), ctx)) {
      const id = wordOf(value.id);
      const name = stringOf(value.thread_name);
      // An empty name means that the title was removed.
      if (id !== null && name !== null) titles.set(id, name.trim() === "" ? null : name);
    }
  }
  return titles;
}

function promptsIn(path: string, ctx: DiscoverContext): PromptWitness[] {
  return [...linesOf(path, ctx)].flatMap(({ value, line }) => witness(value, path, line) ?? []);
}

function witness(value: Fields, path: string, line: number): PromptWitness | null {
  const text = stringOf(value.text);
  if (text === null) return null;
  const seconds = numberOf(value.ts);
  return {
    source: "codex",
    path,
    line,
    sessionId: wordOf(value.session_id),
    time: seconds === null ? null : instant(seconds * 1000),
    text,
    cwd: null,
  };
}

function* linesOf(path: string, ctx: DiscoverContext): Generator<{ value: Fields; line: number }, void, undefined> {
  const stats = statOf(path);
  if (stats?.isFile() !== true) return;
  const ref: SourceRef = { source: "codex", path, size: stats.size, mtimeMs: stats.mtimeMs, container: "jsonl" };
  let lines: JsonLines;
  try {
    lines = new JsonLines(ref, null, { detail: "full" });
  } catch {
    ctx.report({ code: "file_unreadable", source: "codex", path, message: "this file cannot be read" });
    return;
  }
  try {
    for (let line = lines.next(); line !== null; line = lines.next()) {
      if (line.value !== null) yield { value: line.value, line: line.line };
    }
  } finally {
    lines.close();
  }
}

/** A root may be a single file, which has no side files: stat fails then, and that is not an error. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
