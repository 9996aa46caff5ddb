import { join, resolve } from "node:path";
import type { DiscoverContext, PromptWitness, SideFacts } from "../contract.ts";
import { directoriesIn } from "../kit/directory.ts";
import { placesOf, startOf } from "./discover.ts";
import { projectRoot, SOURCE_ID } from "./identity.ts";
import { list, millis, obj, str } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { readText } from "../../io/regular-file.ts";

/** `tmp/<project>/logs.json` remembers every prompt typed in a terminal, whether or not its session is left. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  const projects = placesOf(ctx).flatMap((place) => {
    const { path } = startOf(resolve(place.path));
    return directoriesIn(path).map((name) => join(path, name));
  });
  return {
    titles: () => new Map(),
    histories: projects.map((project) => join(project, LOG)),
    prompts: () => projects.flatMap(witnesses),
  };
}

const LOG = "logs.json";

function witnesses(project: string): PromptWitness[] {
  const path = join(project, LOG);
  let entries: readonly unknown[];
  try {
    entries = list(parseJson(readText(path)));
  } catch {
    // Absent in most projects, and rewritten as a whole: a half-written one is whole at the next look.
    return [];
  }
  const cwd = projectRoot(join(project, "chats", "x"), null);
  return entries.flatMap((item, i) => {
    const entry = obj(item);
    const text = str(entry?.["message"]);
    if (!entry || text === null || entry["type"] !== "user") return [];
    const time = millis(entry["timestamp"]);
    return [{ source: SOURCE_ID, path, line: i + 1, sessionId: str(entry["sessionId"]), time, text, cwd }];
  });
}
