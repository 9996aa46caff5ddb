import { join, resolve } from "node:path";
import type { DiscoverContext, PromptWitness, SideFacts } from "../contract.ts";
import { directoriesIn } from "../kit/directory.ts";
import { placesOf, startOf } from "./discover.ts";
import { projectRoot, SOURCE_ID } from "./identity.ts";
import { list, millis, obj, str } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { readText } from "../../io/regular-file.ts";

/** `tmp/<project>/logs.json` records every prompt typed in a terminal, whether or not its session still exists. */
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
    // The file is missing in most projects. It is rewritten as a whole: if it is incomplete now, the next read will
    // succeed.
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
