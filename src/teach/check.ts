import { messageOf } from "../base/errors.ts";
import { doorOf, isGrave, type Asking, type DoorVerdict } from "./door.ts";
import { isSplitId, Preferences } from "./preferences.ts";
import { isReadable } from "./readable.ts";
import { readRegistry, type Registry } from "./registry.ts";
import type { State } from "./state.ts";

/** Whether a question should be asked. */
export interface Checked {
  question_id: string;
  verdict: "ASK_NORMALLY" | "AUTO_DECIDE";
  /** Why an existing preference has no effect, or is not understood. */
  note: string | null;
  door_type: DoorVerdict["door"];
  /** The rule that determined the door type. */
  door_by: DoorVerdict["by"];
  preference: string | null;
  /** Where the preference is stored. */
  scope: "project" | "global" | null;
}

/** In doubt the question is asked: a file that cannot be read suppresses none. */
export function checkQuestion(asking: Asking, state: State | null, slug: string): Checked & { problem: string | null } {
  let registry: Registry;
  let preferences: Preferences;
  try {
    registry = readRegistry(state);
    preferences = new Preferences(state, slug);
  } catch (error) {
    const door = { door_type: "one-way", door_by: "nothing speaks against it", preference: null, scope: null } as const;
    const note = "preferences or registry cannot be read";
    return { question_id: asking.question_id, verdict: "ASK_NORMALLY", note, ...door, problem: messageOf(error) };
  }
  return { ...verdictFor(asking, registry, preferences), problem: null };
}

/**
 * Checks one-way doors first, then split lists, then whether the question is registered and its text understood, then the
 * person's preference.
 */
export function verdictFor(asking: Asking, registry: Registry, preferences: Preferences): Checked {
  const { question_id: id } = asking;
  const { door, by } = doorOf(asking, registry);
  const found = preferences.of(id);
  const preference = found?.preference ?? null;
  const about = { question_id: id, door_type: door, door_by: by, preference, scope: found?.scope ?? null };
  const ask = (note: string | null): Checked => ({ ...about, verdict: "ASK_NORMALLY", note });
  if (door === "one-way")
    return ask(preference === "never-ask" ? "a one-way door is asked in spite of your never-ask" : null);
  if (preference !== "never-ask" && preference !== "ask-only-for-one-way")
    return ask(preference === null || preference === "always-ask" ? null : `unknown preference: ${preference}`);
  const anyway = (what: string): Checked => ask(`${what} in spite of your ${preference}`);
  if (isSplitId(id)) return anyway("options of a split list are asked");
  // What a question means is known of registered ones only: words are not enough to let a program answer it.
  if (by !== "registry") return anyway("a question that is not in the registry is asked");
  if (isGrave(asking.summary ?? "")) return anyway("words of something that cannot be undone are asked");
  if (!isReadable(asking.summary ?? "")) return anyway("a text that is not understood is asked");
  return { ...about, verdict: "AUTO_DECIDE", note: null };
}
