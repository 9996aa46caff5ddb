import { existsSync } from "node:fs";
import { join } from "node:path";
import { directoryIn } from "../base/home.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where questions, preferences and lessons are stored: gstack's own files if they are in use, else the same layout in
 * Daybook's home, so that the folder can be copied when gstack is installed later.
 */
export interface State {
  root: string;
  /** `gstack`: its own programs read and write here too. */
  owner: "gstack" | "daybook";
}

export interface StatePlace {
  env: Env;
  /** The user's home directory, if there is one. */
  home: string | null;
  /** Daybook's home; null when nothing is stored. Asked for only if the state is to be in it. */
  book(): string | null;
  /** The book was named by a flag: then its own files are meant, not those in the user's home. */
  isNamed: boolean;
}

/** Null when only files are read that were named explicitly. */
export function findState({ env, home, isNamed, ...place }: StatePlace): State | null {
  const named = directoryIn(env, "GSTACK_STATE_ROOT") ?? directoryIn(env, "GSTACK_HOME");
  if (named !== null) return { root: named, owner: "gstack" };
  const book = place.book();
  if (book === null) return null;
  const usual = home === null ? null : join(home, ".gstack");
  if (!isNamed && usual !== null && existsSync(usual)) return { root: usual, owner: "gstack" };
  return { root: join(book, "decisions"), owner: "daybook" };
}

/** The paths of the files, by their content. */
export const stateFile = {
  projects: ({ root }: State): string => join(root, "projects"),
  questionLog: (state: State, slug: string): string => inProject(state, slug, "question-log.jsonl"),
  /** Of a project, or global when `slug` is null. */
  preferences: (state: State, slug: string | null): string =>
    slug === null
      ? join(state.root, "global-question-preferences.json")
      : inProject(state, slug, "question-preferences.json"),
  /** Who set which preference, and when. */
  events: (state: State, slug: string | null): string =>
    slug === null ? join(state.root, "question-events.jsonl") : inProject(state, slug, "question-events.jsonl"),
  proposals: (state: State, slug: string): string => inProject(state, slug, "distillation-proposals.json"),
  distillCost: ({ root }: State): string => join(root, "distill-cost.jsonl"),
  memory: ({ root }: State): string => join(root, "free-text-memory.json"),
  profile: ({ root }: State): string => join(root, "developer-profile.json"),
  registry: ({ root }: State): string => join(root, "registry.json"),
  hookErrors: ({ root }: State): string => join(root, "hook-errors.log"),
  slugCache: ({ root }: State): string => join(root, "slug-cache"),
};

function inProject({ root }: State, slug: string, name: string): string {
  return join(root, "projects", slug, name);
}
