import {
  changedInstructions,
  toInstructions,
  NO_INSTRUCTIONS,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import { contentOf } from "./content.ts";
import { isFields, wordOf } from "./fields.ts";
import { fragmentOf } from "./markers.ts";
import type { ClassifyContext } from "./verdict.ts";

/** By default Codex reads at most this much of AGENTS.md files, and does not say when it omits the rest. */
const MOST_BYTES = 32 * 1024;

/**
 * Fields of the header (`instructions` up to 0.63, `base_instructions` since) and of `turn_context`, which repeats
 * them.
 */
const STATED: readonly (readonly [field: string, kind: string])[] = [
  ["base_instructions", "base"],
  ["instructions", "instructions"],
  ["user_instructions", "instructions"],
  ["developer_instructions", "developer"],
];

export function statedInstructions({ record, state }: ClassifyContext): Instructions {
  const list = STATED.flatMap(([field, kind]): Instruction[] => {
    const value = record.payload[field];
    const text = wordOf(isFields(value) ? value.text : value);
    return text === null ? [] : [kind === "instructions" ? fileOf(text, null) : { kind, path: null, text }];
  });
  return list.length === 0 ? NO_INSTRUCTIONS : changedInstructions(toInstructions(list), state.instructions);
}

/** `<permissions instructions>`, `<skills_instructions>`, `<collaboration_mode>`: the tag names the topic. */
const TAG = /^\s*<([a-z][a-z_]*?)(?:[ _]instructions)?>/i;

/** Developer and system messages: one text per topic. */
export function spokenInstructions({ record }: ClassifyContext): Instructions {
  const { texts } = contentOf(record.payload.content);
  return toInstructions(texts.map((text) => ({ kind: TAG.exec(text)?.[1] ?? "message", path: null, text })));
}

/** User-role messages written by the client: AGENTS.md, skills. */
export function injectedInstructions(texts: readonly string[]): Instructions {
  return toInstructions(
    texts.flatMap((text) => {
      const kind = fragmentOf(text);
      if (kind === "instructions") return [agentsFile(text)];
      if (kind === "skill") return [{ kind: "skill", path: SKILL_PATH.exec(text)?.[1] ?? null, text }];
      return [];
    }),
  );
}

const SKILL_PATH = /<path>\s*([^<]*?)\s*<\/path>/i;
const AGENTS_DIR = /^\s*# AGENTS\.md instructions for ([^\n]+)/i;
const WRAPPED = /<(user_instructions|instructions)>\r?\n?([\s\S]*?)\r?\n?<\/\1>\s*$/i;

/** The text of the file without the client's wrapper, so that other agents and `sha256sum` yield the same hash. */
function agentsFile(text: string): Instruction {
  const dir = AGENTS_DIR.exec(text)?.[1]
    ?.trim()
    .replace(/[/\\]+$/, "");
  const path = dir === undefined ? null : `${dir}${dir.includes("\\") ? "\\" : "/"}AGENTS.md`;
  return fileOf(WRAPPED.exec(text)?.[2] ?? text, path);
}

function fileOf(text: string, path: string | null): Instruction {
  return { kind: "instructions", path, text, truncated: Buffer.byteLength(text) === MOST_BYTES };
}
