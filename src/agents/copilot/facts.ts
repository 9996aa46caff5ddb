import { join, resolve } from "node:path";
import type { DiscoverContext, SideFacts } from "../contract.ts";
import { directoriesIn } from "../kit/session-files.ts";
import { placesOf, startsOf } from "./discover.ts";
import { readWorkspace } from "./identity.ts";

/** Session names are kept in a file beside the session that is rewritten when they change. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  return { titles: () => titlesOf(ctx), histories: [], prompts: () => [] };
}

function titlesOf(ctx: DiscoverContext): Map<string, string | null> {
  const titles = new Map<string, string | null>();
  for (const place of placesOf(ctx)) {
    for (const { path } of startsOf(resolve(place.path))) {
      for (const id of directoriesIn(path)) {
        const { name } = readWorkspace(join(path, id));
        if (name !== null) titles.set(id, name);
      }
    }
  }
  return titles;
}
