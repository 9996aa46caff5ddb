import type { TriggerKind } from "../../format/record.ts";
import { obj, objects, str, type Native } from "../kit/native.ts";

/** A slash command, not a path: `/usr/bin/env …` has a second slash in its first word. */
const COMMAND = /^\/[A-Za-z][\w:.-]*(?=\s|$)/;
/** Text after this marker was read from files the human named with `@`. */
const REFERENCED = /^\s*--- Content from referenced files ---/;

export function partsOf(record: Native): Native[] {
  return objects(obj(record["message"])?.["parts"]);
}

/** The text of a message, without the model's reasoning. */
export function textOf(parts: readonly Native[]): string {
  let text = "";
  for (const part of parts) if (part["thought"] !== true) text += str(part["text"]) ?? "";
  return text;
}

/** What the human typed. Newer versions store it separately from what hooks and `@` files add for the model. */
export function typedText(record: Native, parts: readonly Native[]): string {
  const shown = str(obj(record["systemPayload"])?.["displayText"]);
  if (shown !== null && shown !== "") return shown;
  let text = "";
  for (const part of parts) {
    const piece = part["thought"] === true ? "" : (str(part["text"]) ?? "");
    if (text !== "" && REFERENCED.test(piece)) break;
    text += piece;
  }
  return text;
}

/** A `!` command is stored as a message that describes it. */
const SHELL = /^I ran the following shell command:\n```sh\n([\s\S]*?)\n```\n/;

export interface TypedPrompt {
  text: string;
  kind: TriggerKind;
}

/** The text as it was typed, and its kind. */
export function kindOf(text: string): TypedPrompt {
  const shell = SHELL.exec(text);
  if (shell) return { text: `!${shell[1] ?? ""}`, kind: "shell" };
  return { text, kind: COMMAND.test(text) ? "command" : "prompt" };
}

export function attachmentsIn(parts: readonly Native[]): number {
  return parts.filter((part) => obj(part["inlineData"]) ?? obj(part["fileData"])).length;
}

/** The text between `<tag>` and `</tag>`, first occurrence. */
export function textInTag(text: string, tag: string): string | null {
  const from = text.indexOf(`<${tag}>`);
  const to = text.indexOf(`</${tag}>`, from);
  return from < 0 || to < 0 ? null : text.slice(from + tag.length + 2, to);
}
