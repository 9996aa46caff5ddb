import {
  changedInstructions,
  toInstructions,
  NO_INSTRUCTIONS,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import { list, obj, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

/**
 * Attachments with instructions for the model: instruction files (CLAUDE.md, rules, memories), those loaded later
 * because a directory was entered, and Claude Code's own system prompt.
 */
export function instructionsIn(record: Native, state: ReaderState): Instructions {
  const attachment = obj(record["attachment"]);
  switch (attachment?.["type"]) {
    case "instructions":
      return toInstructions(list(attachment["files"]).flatMap((file) => fileOf(obj(file))));
    case "nested_memory": {
      const file = obj(attachment["content"]);
      return toInstructions(fileOf({ ...file, path: attachment["path"] ?? file?.["path"], type: "nested_memory" }));
    }
    case "prompt_snapshot": {
      const text = list(attachment["systemPrompt"]).flatMap((part) => str(part) ?? []);
      // Claude Code attaches the snapshot again whenever any other part of the request changes.
      return changedInstructions(
        toInstructions([{ kind: "base", path: null, text: text.join("\n\n") }]),
        state.instructions,
      );
    }
    default:
      return NO_INSTRUCTIONS;
  }
}

/** `type` is the scope of the file: `User`, `Project`, `Local`, `Managed`, `AutoMem`. */
function fileOf(file: Native | null): Instruction[] {
  if (!file) return [];
  const [text, raw] = [str(file["content"]), str(file["rawContent"])];
  const truncated = text !== null && raw !== null && raw.length > text.length;
  return [{ kind: str(file["type"]) ?? "instructions", path: str(file["path"]), text, truncated }];
}
