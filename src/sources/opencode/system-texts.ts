import {
  changedInstructions,
  toInstructions,
  NO_INSTRUCTIONS,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import { list, str, type Native } from "../kit/native.ts";
import type { MessageContext } from "./draft.ts";

const FILE = /^Instructions from: (.+)$/m;
/** The date, the directory and a list of its files: where the work was done, not how. */
const ENVIRONMENT = /^Here is some useful information about the environment[\s\S]*$/m;

/**
 * Answers of 0.x and 1.0 hold the model's instructions in `system`, with instruction files appended; a prompt may have
 * its own.
 */
export function systemTexts(message: Native, { state }: MessageContext): Instructions {
  const stated = message["system"];
  const text =
    str(stated) ??
    list(stated)
      .flatMap((part) => str(part) ?? [])
      .join("\n");
  if (text === "") return NO_INSTRUCTIONS;
  const [own = "", ...files] = text.split(new RegExp(FILE, "gm"));
  const base = own.replace(ENVIRONMENT, "").trim();
  const found: Instruction[] = [{ kind: "base", path: null, text: base }];
  for (let i = 0; i + 1 < files.length; i += 2)
    found.push({ kind: "instructions", path: (files[i] ?? "").trim(), text: (files[i + 1] ?? "").trim() });
  return changedInstructions(toInstructions(found), state.ruling.instructions);
}
