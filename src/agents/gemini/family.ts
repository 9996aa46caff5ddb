import { join } from "node:path";
import type { ToolFinishedBody, ToolStatus, TouchedFile } from "../../record/record.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { CommandTemplates, type BuiltInCommand, type PromptFormat } from "../kit/prompts.ts";

/**
 * What agents derived from Gemini CLI have in common with it, whatever they store their sessions in: messages made of
 * parts, results of tools, commands in the human's own files. Where they differ, they say so in a table.
 */

/** Text after this marker was read from files the human named with `@`. */
const REFERENCED = /^\s*--- Content from referenced files ---/;
/** A slash command, not a path: `/usr/bin/env …` has a second slash in its first word. */
const COMMAND = /^\/[A-Za-z][\w:.-]*(?=\s|$)/;
/** A `!` command is stored as a message that describes it, in some versions with its output. */
const SHELL =
  /^I ran the following shell command:\n```sh\n([\s\S]*?)\n```\n(?:\nThis produced the following result:\n```\n([\s\S]*)\n```\s*$)?/;

/** The text of a message, without the model's reasoning. */
export function textIn(parts: readonly Native[]): string {
  let text = "";
  for (const part of parts) if (part["thought"] !== true) text += str(part["text"]) ?? "";
  return text;
}

/** The text of a message without what `@` files add to it. */
export function typedIn(parts: readonly Native[]): string {
  let text = "";
  for (const part of parts) {
    const piece = part["thought"] === true ? "" : (str(part["text"]) ?? "");
    if (text !== "" && REFERENCED.test(piece)) break;
    text += piece;
  }
  return text;
}

export function isCommand(text: string): boolean {
  return COMMAND.test(text);
}

/** The command that a message describes, as typed, and what it printed; null for any other message. */
export function shellIn(text: string): { text: string; printed: string } | null {
  const shell = SHELL.exec(text);
  return shell ? { text: `!${shell[1] ?? ""}`, printed: shell[2] ?? "" } : null;
}

export function attachmentsIn(parts: readonly Native[]): number {
  return parts.filter((part) => obj(part["inlineData"]) ?? obj(part["fileData"])).length;
}

/** A tool's result: its text, and whether the agent calls it an error. */
export interface Answer {
  text: string;
  error: boolean;
}

const STOPPED = /^(?:\[Operation Cancelled\]|Command was cancelled by user|Operation cancelled)/;

export function isStopped({ text }: Answer): boolean {
  return STOPPED.test(text);
}

/** How a call ended if the agent does not call it a success; null if it does, or if the call has not ended. */
export function failureOf(native: string | null, answer: Answer, isDenied: () => boolean): ToolStatus | null {
  if (native === "cancelled" || isStopped(answer)) return isDenied() ? "denied" : "interrupted";
  if (native === "error" || (native === null && answer.error)) return isDenied() ? "denied" : "failed";
  return null;
}

/** The settlement of a call; texts are only kept in `full` detail. */
export function finishedBody(
  ended: Pick<ToolFinishedBody, "call_id" | "status" | "exit_code" | "duration_ms">,
  { text }: Answer,
  kept: { full: boolean; truncated: boolean; files: TouchedFile[] },
): ToolFinishedBody {
  const body: ToolFinishedBody = { type: "tool_finished", ...ended };
  if (kept.full) {
    body.output = text;
    if (kept.truncated) body.truncated = true;
    if (ended.status !== "ok") body.error = text;
  }
  if (kept.files.length > 0) body.files = kept.files;
  return body;
}

/** Where the human's own commands are: `store` matches a session's path up to the agent's directory, in group 1. */
export interface OwnCommands {
  builtIn: readonly BuiltInCommand[];
  store: RegExp;
  formats: readonly PromptFormat[];
}

export function templatesIn(path: string, { builtIn, store, formats }: OwnCommands): CommandTemplates {
  const home = store.exec(path)?.[1];
  return new CommandTemplates(
    builtIn,
    home === undefined ? [] : [{ dir: join(home, "commands"), formats, nested: ":" }],
  );
}
