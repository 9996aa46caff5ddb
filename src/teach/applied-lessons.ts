import { readsLikeInstruction } from "../turns/decisions/instruction-like.ts";
import { readJsonFile } from "./json-file.ts";
import { stateFile, type State } from "./state.ts";

/** A lesson that the person applied, in one line. */
export interface Nugget {
  nugget: string;
  applies_to_signal_keys: string[];
  applied_at: string;
}

const MAX_LESSONS = 3;
const LONGEST = 300;

/** The newest applied lessons that concern one of the signals. */
export function nuggetsFor(state: State, signals: readonly string[]): Nugget[] {
  if (signals.length === 0) return [];
  return nuggetsIn(state)
    .filter(({ applies_to_signal_keys: keys }) => keys.some((key) => signals.includes(key)))
    .sort((a, b) => (a.applied_at < b.applied_at ? 1 : a.applied_at > b.applied_at ? -1 : 0))
    .slice(0, MAX_LESSONS);
}

function nuggetsIn(state: State): Nugget[] {
  const held = readJsonFile(stateFile.memory(state))?.["nuggets"];
  return (Array.isArray(held) ? held : []).flatMap((value: unknown): Nugget[] => {
    if (typeof value !== "object" || value === null) return [];
    const { nugget, applies_to_signal_keys: keys, applied_at: at } = value as Record<string, unknown>;
    if (typeof nugget !== "string" || typeof at !== "string" || at === "" || !Array.isArray(keys)) return [];
    const text = nugget.replace(/\s+/g, " ").trim().slice(0, LONGEST);
    if (text === "" || readsLikeInstruction(text)) return [];
    return [{ nugget: text, applies_to_signal_keys: keys.filter((key) => typeof key === "string"), applied_at: at }];
  });
}
