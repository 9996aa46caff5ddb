import { messageOf } from "../errors.ts";
import { doorOf, type Asking, type DoorFound } from "./door.ts";
import { isSplitId, Preferences } from "./preferences.ts";
import { readRegistry, type Registry } from "./registry.ts";
import type { State } from "./state.ts";

/** Whether a question is to be asked. */
export interface Checked {
  question_id: string;
  verdict: "ASK_NORMALLY" | "AUTO_DECIDE";
  /** Why a preference that is there does not hold, or is not understood. */
  note: string | null;
  door_type: DoorFound["door"];
  /** Which rule knew the door. */
  door_by: DoorFound["by"];
  preference: string | null;
  /** Where the preference stands. */
  scope: "project" | "global" | null;
}

/** What is not certain is asked: a file that cannot be read takes no question from anybody. */
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
  return { ...checked(asking, registry, preferences), problem: null };
}

/** One-way doors first, then lists that were split, then what the person wants. */
export function checked(asking: Asking, registry: Registry, preferences: Preferences): Checked {
  const { question_id: id } = asking;
  const { door, by } = doorOf(asking, registry);
  const found = preferences.of(id);
  const preference = found?.preference ?? null;
  const about = { question_id: id, door_type: door, door_by: by, preference, scope: found?.scope ?? null };
  const ask = (note: string | null): Checked => ({ ...about, verdict: "ASK_NORMALLY", note });
  const isSuppressing = preference === "never-ask" || preference === "ask-only-for-one-way";
  if (door === "one-way")
    return ask(preference === "never-ask" ? "a one-way door is asked in spite of your never-ask" : null);
  if (isSplitId(id))
    return ask(isSuppressing ? `options of a split list are asked in spite of your ${preference}` : null);
  if (isSuppressing) return { ...about, verdict: "AUTO_DECIDE", note: null };
  return ask(preference === null || preference === "always-ask" ? null : `unknown preference: ${preference}`);
}
