import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DiscoverContext, PromptWitness, SideFacts } from "../contract.ts";
import { isLocalText } from "./commands.ts";
import { SOURCE_ID } from "./identity.ts";
import { num, obj, str } from "../kit/native.ts";
import { isDirectory } from "../kit/session-files.ts";
import { placesOf } from "./places.ts";
import { parseJson } from "../../io/json.ts";
import { instant } from "../../io/instant.ts";
import { readText } from "../../io/regular-file.ts";

/** What Claude Code stores beside its transcripts: the input history and titles set by the human. */
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
  };
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
      try {
        const side = parse(readText(path));
        if (side && "customTitle" in side) titles.set(session, str(side["customTitle"]) || null);
      } catch {
        // The file may have been deleted since.
      }
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
