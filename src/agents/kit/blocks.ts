/** Messages made of blocks, in the shapes that most agents copied from the APIs of Anthropic and OpenAI. */
import { parseJson } from "../../base/io/json.ts";
import { obj, str, type Native } from "./native.ts";

/** A content block of a message. */
export interface Block extends Native {
  type: string;
}

/** The content blocks of a message; a bare string is one text block. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  const out: Block[] = [];
  for (const item of Array.isArray(content) ? (content as unknown[]) : []) {
    const block = obj(item);
    if (block && typeof block["type"] === "string") out.push(block as Block);
  }
  return out;
}

/** The texts of a message, in lines of their own. */
export function textOf(content: unknown): string {
  return blocksOf(content)
    .filter((block) => block.type === "text")
    .map((block) => str(block["text"]) ?? "")
    .join("\n");
}

/** Number of images sent with a message. */
export function imagesIn(content: unknown): number {
  return blocksOf(content).filter(({ type }) => type === "image" || type === "image_url").length;
}

/** A call as one block, whatever its fields are called. */
export interface CallBlock {
  id: string;
  name: string;
  input: unknown;
}

const CALLS: ReadonlySet<string> = new Set(["tool_use", "toolCall", "tool_call", "function"]);

/** The call in a block; null for any other block. */
export function callIn(block: Native): CallBlock | null {
  if (!CALLS.has(str(block["type"]) ?? "")) return null;
  const inner = obj(block["function"]) ?? block;
  const input = inner["input"] ?? inner["arguments"] ?? inner["args"] ?? null;
  return { id: str(block["id"]) ?? "", name: str(inner["name"]) ?? "", input: parsedInput(input) };
}

/** Some agents store the input of a call as the JSON text the model wrote, which may be malformed: then it stays text. */
export function parsedInput(input: unknown): unknown {
  if (typeof input !== "string" || !/^\s*[[{]/.test(input)) return input;
  try {
    return parseJson(input);
  } catch {
    return input;
  }
}
