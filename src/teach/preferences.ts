import { DaybookError } from "../base/errors.ts";
import { appendLine } from "../base/io/append-line.ts";
import { readsLikeInstruction } from "../turns/decisions/instruction-like.ts";
import { doorOf } from "./door.ts";
import { changeJsonFile, readJsonFile } from "./json-file.ts";
import { readRegistry, type Registry } from "./registry.ts";
import { stateFile, type State } from "./state.ts";

export const PREFERENCES = ["never-ask", "always-ask", "ask-only-for-one-way"] as const;
export type Preference = (typeof PREFERENCES)[number];

/** Who set a preference, in gstack's terms: the person in the menu, or in the chat. No other writer is accepted. */
export const WRITERS = ["plan-tune", "inline-user"] as const;
export type Writer = (typeof WRITERS)[number];

/** A stored preference, and where it was found. */
export interface StoredPreference {
  preference: string;
  scope: "project" | "global";
}

/** The stored preferences. Those of the project take precedence over global ones. */
export class Preferences {
  readonly #project: Readonly<Record<string, unknown>>;
  readonly #global: Readonly<Record<string, unknown>>;

  constructor(state: State | null, slug: string | null) {
    this.#project = state && slug !== null ? (readJsonFile(stateFile.preferences(state, slug)) ?? {}) : {};
    this.#global = state ? (readJsonFile(stateFile.preferences(state, null)) ?? {}) : {};
  }

  of(id: string): StoredPreference | null {
    // Texts change, and the ids that are made from them with them.
    if (isHashId(id)) return null;
    for (const [scope, held] of [
      ["project", this.#project],
      ["global", this.#global],
    ] as const) {
      const preference = Object.hasOwn(held, id) ? held[id] : undefined;
      if (typeof preference === "string") return { preference, scope };
    }
    return null;
  }

  /** All stored preferences, those of the project first. */
  all(): { question_id: string; preference: string; scope: StoredPreference["scope"] }[] {
    return (["project", "global"] as const).flatMap((scope) =>
      Object.entries(scope === "project" ? this.#project : this.#global).flatMap(([question_id, preference]) =>
        typeof preference === "string" ? [{ question_id, preference, scope }] : [],
      ),
    );
  }
}

export function isPreference(value: string): value is Preference {
  return (PREFERENCES as readonly string[]).includes(value);
}

/** Whether the id is a hash of the question's text, which is not stable enough for a preference, or of prose. */
export function isHashId(id: string): boolean {
  return id.startsWith("hook-") || id.startsWith("prose-");
}

/** Whether the id is one option of a list that was too long for one question: such lists are always asked in full. */
export function isSplitId(id: string): boolean {
  return id.includes("-split-");
}

/** Whether a stored preference has no effect: only registered two-way questions can be left unasked. */
export function isInert(question_id: string, preference: string, registry: Registry): boolean {
  if (preference === "always-ask") return false;
  return isSplitId(question_id) || registry.get(question_id)?.door_type !== "two-way";
}

export interface PreferenceChange {
  question_id: string;
  preference: Preference;
  by: Writer;
  /** The person's remark. */
  free_text?: string | undefined;
}

/** Stores a preference. `slug`: the project's folder, or null for all projects. */
export function setPreference(state: State, slug: string | null, wanted: PreferenceChange, now: string): void {
  const { question_id: id, preference } = wanted;
  assertAllowed(state, id, preference);
  const said = wanted.free_text?.replace(/[\r\n]+/g, " ").slice(0, 300);
  if (said !== undefined && readsLikeInstruction(said)) throw refused("what was said to it reads like an instruction");
  changeJsonFile(stateFile.preferences(state, slug), (held) => void (held[id] = preference));
  logEvent(state, slug, { event_type: "preference-set", question_id: id, preference, source: wanted.by, said }, now);
}

/** Removes one preference, or all when `id` is null. Returns the ids that were removed. */
export function clearPreferences(
  state: State,
  slug: string | null,
  id: string | null,
  by: Writer,
  now: string,
): string[] {
  const path = stateFile.preferences(state, slug);
  const held = Object.keys(readJsonFile(path) ?? {});
  const cleared = id === null ? held : held.filter((one) => one === id);
  if (cleared.length === 0) return [];
  changeJsonFile(path, (file) => {
    for (const one of cleared) delete file[one];
  });
  for (const question_id of cleared)
    logEvent(state, slug, { event_type: "preference-cleared", question_id, preference: null, source: by }, now);
  return cleared;
}

/** Throws if nobody may set this preference. */
export function assertAllowed(state: State, id: string, preference: Preference): void {
  if (!/^[a-z0-9-]{1,64}$/.test(id))
    throw new DaybookError(`no question has the id ${id}`, {
      code: "usage",
      op: "set preference",
      hint: "ids are small letters, digits and dashes, at most 64",
    });
  if (isHashId(id))
    throw refused(
      `${id} is made of the question's words and changes with them`,
      "only questions with a marker, <gstack-qid:ID>, have an id that stays",
    );
  if (preference === "always-ask") return;
  if (isSplitId(id)) throw refused(`${id} is one option of a longer list: these are always asked`);
  if (preference === "never-ask" && doorOf({ question_id: id }, readRegistry(state)).door === "one-way")
    throw refused(
      `${id} is a one-way door: it is always asked`,
      "what cannot be taken back is decided by you each time",
    );
}

function refused(message: string, hint?: string): DaybookError {
  return new DaybookError(message, { code: "refused", op: "set preference", ...(hint === undefined ? {} : { hint }) });
}

interface PreferenceEvent {
  event_type: string;
  question_id: string;
  preference: string | null;
  source: Writer;
  said?: string | undefined;
}

function logEvent(state: State, slug: string | null, { said, ...event }: PreferenceEvent, now: string): void {
  const line = { ts: now, ...event, ...(said === undefined || said === "" ? {} : { free_text: said }) };
  appendLine(stateFile.events(state, slug), line);
}
