import {
  changedInstructions,
  instructions,
  NO_INSTRUCTIONS,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import { list, obj, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

/**
 * Attachments that told the model how to work: files of instructions (CLAUDE.md, rules, memories), those loaded later because
 * a directory was entered, and Claude Code's own prompt.
 */
export function instructionsIn(record: Native, state: ReaderState): Instructions {
  const attachment = obj(record["attachment"]);
  switch (attachment?.["type"]) {
    case "instructions":
      return instructions(list(attachment["files"]).flatMap((file) => fileOf(obj(file))));
    case "nested_memory": {
      const file = obj(attachment["content"]);
      return instructions(fileOf({ ...file, path: attachment["path"] ?? file?.["path"], type: "nested_memory" }));
    }
    case "prompt_snapshot": {
      const text = list(attachment["systemPrompt"]).flatMap((part) => str(part) ?? []);
      // It is attached again whenever anything else about the request changed.
      return changedInstructions(
        instructions([{ kind: "base", path: null, text: text.join("\n\n") }]),
        state.instructions,
      );
    }
    default:
      return NO_INSTRUCTIONS;
  }
}

/** `type` says whose file it is: `User`, `Project`, `Local`, `Managed`, `AutoMem`. */
function fileOf(file: Native | null): Instruction[] {
  if (!file) return [];
  const [text, raw] = [str(file["content"]), str(file["rawContent"])];
  const truncated = text !== null && raw !== null && raw.length > text.length;
  return [{ kind: str(file["type"]) ?? "instructions", path: str(file["path"]), text, truncated }];
}
