import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DiscoverContext, PromptWitness, SideFacts } from "../contract.ts";
import { isLocalText } from "./commands.ts";
import { SOURCE_ID } from "./identity.ts";
import { num, obj, str } from "../kit/native.ts";
import { isDirectory } from "../kit/session-files.ts";
import { placesOf } from "./places.ts";
import { parseJson } from "../../base/io/json.ts";
import { instant } from "../../base/io/instant.ts";
import { readText } from "../../base/io/regular-file.ts";

/** What Claude Code stores beside its transcripts: input history, titles set by the human, what its processes do. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  const roots = placesOf(ctx).map((place) => resolve(place.path));
  const configs = new Set(roots.map((root) => (basename(root) === "projects" ? dirname(root) : root)));
  const found = [...configs].filter(isDirectory);
  const histories = found.map((config) => join(config, "history.jsonl"));
  return {
    titles() {
      const titles = new Map<string, string | null>();
      for (const config of found) readTitles(join(config, "projects"), titles);
      return titles;
    },
    histories,
    prompts: () => histories.flatMap(promptsIn),
    waiting: () => waitingIn(found.map((config) => join(config, "sessions"))),
  };
}

/**
 * Each process keeps a file about itself, which it removes when it ends: one that was killed leaves what it said last.
 * So the newest statement about a session counts.
 */
function waitingIn(directories: readonly string[]): Map<string, string> {
  const newest = new Map<string, number>();
  const waiting = new Map<string, string>();
  const files = directories.flatMap((directory) => names(directory).map((name) => join(directory, name)));
  for (const file of files.filter((path) => path.endsWith(".json"))) {
    const state = parseFile(file);
    const session = str(state?.["sessionId"]);
    const time = num(state?.["statusUpdatedAt"]) ?? num(state?.["updatedAt"]) ?? 0;
    if (!state || session === null || time < (newest.get(session) ?? 0)) continue;
    newest.set(session, time);
    if (state["status"] === "waiting") waiting.set(session, str(state["waitingFor"]) ?? "");
    else waiting.delete(session);
  }
  return waiting;
}

function parseFile(path: string): Record<string, unknown> | null {
  try {
    return parse(readText(path));
  } catch {
    // The file may have been deleted since.
    return null;
  }
}

function promptsIn(path: string): PromptWitness[] {
  const prompts: PromptWitness[] = [];
  let text: string;
  try {
    text = readText(path);
  } catch {
    return prompts;
  }
  for (const [index, line] of text.split("\n").entries()) {
    const entry = parse(line);
    const display = str(entry?.["display"]);
    if (!entry || display === null || isLocalText(display)) continue;
    prompts.push({
      source: SOURCE_ID,
      path,
      line: index + 1,
      sessionId: str(entry["sessionId"]),
      time: instant(num(entry["timestamp"]) ?? Number.NaN),
      text: display,
      cwd: str(entry["project"]),
    });
  }
  return prompts;
}

/** `<projects>/<slug>/<session>/custom-title.json`, written by `/rename`. */
function readTitles(projects: string, titles: Map<string, string | null>): void {
  for (const slug of names(projects)) {
    for (const session of names(join(projects, slug))) {
      if (session.endsWith(".jsonl")) continue;
      const path = join(projects, slug, session, "custom-title.json");
      // Most sessions have no such file, and a failed read costs ten times as much as this check.
      if (!existsSync(path)) continue;
      const side = parseFile(path);
      if (side && "customTitle" in side) titles.set(session, str(side["customTitle"]) || null);
    }
  }
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return obj(parseJson(text));
  } catch {
    return null;
  }
}
