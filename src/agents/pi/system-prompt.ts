import { toInstructions, NO_INSTRUCTIONS, type Instructions } from "../kit/instructions.ts";
import { obj, str, type Native } from "../kit/native.ts";

/** pi writes its prompt as one text, or (0.87) in sections, one of which only names the directory. */
export function systemPrompt(record: Native): Instructions {
  const message = obj(record["message"]);
  if (message?.["role"] !== "system") return NO_INSTRUCTIONS;
  const sections = Object.entries(obj(message["sections"]) ?? {}).filter(([name]) => name !== "cwd");
  const texts = [message["content"], ...sections.map(([, text]) => text)].flatMap((text) => str(text) ?? []);
  const text = texts.filter((part) => part !== "").join("\n\n");
  return toInstructions([{ kind: "base", path: null, text }]);
}
