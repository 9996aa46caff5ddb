import {
  changedInstructions,
  instructions,
  NO_INSTRUCTIONS,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import { contentOf } from "./content.ts";
import { isFields, wordOf } from "./fields.ts";
import { fragmentOf } from "./markers.ts";
import type { Scene } from "./scene.ts";

/** Codex reads at most this much of AGENTS.md files by default, and says nothing when it leaves out the rest. */
const MOST_BYTES = 32 * 1024;

/** Fields of the header (`instructions` to 0.63, `base_instructions` since) and of `turn_context`, which repeats its own. */
const STATED: readonly (readonly [field: string, kind: string])[] = [
  ["base_instructions", "base"],
  ["instructions", "instructions"],
  ["user_instructions", "instructions"],
  ["developer_instructions", "developer"],
];

export function statedInstructions({ record, state }: Scene): Instructions {
  const list = STATED.flatMap(([field, kind]): Instruction[] => {
    const value = record.payload[field];
    const text = wordOf(isFields(value) ? value.text : value);
    return text === null ? [] : [kind === "instructions" ? fileOf(text, null) : { kind, path: null, text }];
  });
  return list.length === 0 ? NO_INSTRUCTIONS : changedInstructions(instructions(list), state.instructions);
}

/** `<permissions instructions>`, `<skills_instructions>`, `<collaboration_mode>`: what the client tells the model about one thing. */
const TAG = /^\s*<([a-z][a-z_]*?)(?:[ _]instructions)?>/i;

/** Developer and system messages: one text for each thing the client has to say. */
export function spokenInstructions({ record }: Scene): Instructions {
  const { texts } = contentOf(record.payload.content);
  return instructions(texts.map((text) => ({ kind: TAG.exec(text)?.[1] ?? "message", path: null, text })));
}

/** User messages the client wrote: AGENTS.md, skills. */
export function injectedInstructions(texts: readonly string[]): Instructions {
  return instructions(
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

/** As the file is, without what the client wraps it in: other agents, and `sha256sum`, then know it by the same hash. */
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
