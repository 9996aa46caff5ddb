import { readFileSync } from "node:fs";
import { DATA } from "../places.ts";
import { readJsonFile, type JsonObject } from "./json-file.ts";
import { stateFile, type State } from "./state.ts";

export type Door = "one-way" | "two-way";

/** A question that is identified by its id, whatever its text. */
export interface KnownQuestion {
  id: string;
  skill: string;
  category: string | null;
  door_type: Door;
  /** Keys of its options, if they are fixed. */
  options: string[];
  /** What an answer to it tells about the person. */
  signal_key: string | null;
  description: string | null;
  /** Known to Daybook itself, or from `registry.json`. */
  from: "built-in" | "registry.json";
}

export class Registry {
  readonly #questions: ReadonlyMap<string, KnownQuestion>;

  constructor(questions: Iterable<KnownQuestion>) {
    this.#questions = new Map([...questions].map((one) => [one.id, one]));
  }

  get(id: string): KnownQuestion | null {
    return this.#questions.get(id) ?? null;
  }

  all(): KnownQuestion[] {
    return [...this.#questions.values()];
  }

  /** The skill whose name the id begins with; the longest one, as one name may begin with another. */
  skillOf(id: string): string | null {
    const known = this.get(id)?.skill;
    if (known !== undefined) return known;
    const skills = this.all().flatMap(({ skill }) => (id.startsWith(`${skill}-`) ? [skill] : []));
    return skills.reduce<string | null>((most, skill) => (skill.length > (most?.length ?? 0) ? skill : most), null);
  }
}

/**
 * The questions that gstack's skills ask under a fixed id. A door is one-way when the consequences cannot be undone; other
 * questions are judged by their text (`door.ts`).
 */
export const BUILT_IN: URL = new URL("questions.json", DATA);

/** The user's own entries come last and take precedence. */
export function readRegistry(state: State | null): Registry {
  const own = state && readJsonFile(stateFile.registry(state));
  const builtIn = JSON.parse(readFileSync(BUILT_IN, "utf8")) as JsonObject;
  return new Registry([...entriesIn(builtIn, "built-in"), ...(own ? entriesIn(own, "registry.json") : [])]);
}

/** `{"questions": [{"id", …}]}`, or questions by their id. */
function entriesIn(file: JsonObject, from: KnownQuestion["from"]): KnownQuestion[] {
  const listed = file["questions"];
  const entries: [string, unknown][] = Array.isArray(listed)
    ? listed.map((one: unknown) => [text(fields(one)["id"]) ?? "", one])
    : Object.entries(fields(listed ?? file));
  return entries.flatMap(([id, value]) => {
    const { skill, category, door_type: door, options, signal_key: signal, description } = fields(value);
    if (!/^[a-z0-9-]{1,64}$/.test(id)) return [];
    return {
      id,
      skill: text(skill) ?? id.split("-")[0] ?? id,
      category: text(category),
      // Everything that is not stated to be two-way counts as one-way.
      door_type: door === "two-way" ? "two-way" : "one-way",
      options: Array.isArray(options) ? options.filter((one) => typeof one === "string") : [],
      signal_key: text(signal),
      description: text(description),
      from,
    };
  });
}

function fields(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
