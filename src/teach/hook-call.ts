import { parseJson } from "../base/io/json.ts";
import { questionHooks, questionHookSource } from "../agents/traits.ts";
import { questionsOf, type Question } from "../turns/decisions/structured.ts";
import { fieldsOf } from "../turns/decisions/values.ts";

/** A call of an agent's question tool, as its hook gets it. */
export interface HookCall {
  /** Source id of the agent. */
  source: string;
  session_id: string | null;
  tool_use_id: string | null;
  cwd: string | null;
  questions: Question[];
  /** Every text the call would show, wherever it stands; null if it has more questions or texts than are read. */
  texts: string[] | null;
  /** The response of the tool; undefined before the call. */
  response: unknown;
}

/** There is nothing to do; `problem` says what is wrong with the input, if anything. */
export type NoCall = { problem: string | null };

/** Larger calls are not questions. In characters. */
const LARGEST = 4 << 20;

/** Parses the input of a hook. Problems never quote it: answers may contain anything. */
export function parseHookCall(text: string): HookCall | NoCall {
  if (text.trim() === "") return { problem: null };
  if (text.length > LARGEST) return { problem: "the call is too large" };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return { problem: "the call is not JSON" };
  }
  const given = fieldsOf(value);
  const { tool_name: tool, tool_input: input } = given;
  const source = questionHookSource();
  if (source === null || typeof tool !== "string" || questionHooks()?.asks(tool) !== true) return { problem: null };
  const questions = questionsOf(tool, input, source);
  if (questions === null) return { problem: null };
  return {
    source,
    questions,
    texts: textsOf(input, questions),
    response: given["tool_response"],
    session_id: textOf(given["session_id"], 64),
    tool_use_id: textOf(given["tool_use_id"], 128),
    cwd: textOf(given["cwd"], 4096),
  };
}

function textOf(value: unknown, most: number): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, most) : null;
}

/** More texts than a person would read. */
const MAX_TEXTS = 500;
/** Deeper than any known form of the tool. */
const MAX_DEPTH = 8;

/** The names the tool itself gives to its fields; any other name may be a text, such as a question beside its answer. */
const FIELDS = new Set(
  ["questions", "question", "header", "options", "label", "description", "preview", "multiSelect", "metadata"].concat([
    "source",
    "answers",
    "annotations",
    "notes",
    "id",
  ]),
);

function hasAllOptions(item: Record<string, unknown>, question: Question | undefined): boolean {
  const offered = item["options"];
  return Array.isArray(offered) && question !== undefined && offered.length === question.options.length;
}

/** All strings in the input of a call; null when it has more than is read, or questions that were not understood. */
function textsOf(input: unknown, understood: readonly Question[]): string[] | null {
  const listed = fieldsOf(input)["questions"];
  if (Array.isArray(listed) && listed.length !== understood.length) return null;
  const items: unknown[] = Array.isArray(listed) ? listed : [input];
  // An option that was not understood would shift the places of the others.
  if (items.some((item, at) => !hasAllOptions(fieldsOf(item), understood[at]))) return null;
  const found: string[] = [];
  const walk = (value: unknown, depth: number): boolean => {
    if (typeof value === "string") return found.push(value) <= MAX_TEXTS;
    if (typeof value === "boolean" || value === null || value === undefined) return true;
    // A number may be shown as well, and says nothing.
    if (typeof value !== "object" || depth >= MAX_DEPTH) return false;
    const names = Array.isArray(value) ? [] : Object.keys(value).filter((name) => !FIELDS.has(name));
    return [...names, ...Object.values(value)].every((inner) => walk(inner, depth + 1));
  };
  return walk(input, 0) ? found : null;
}
