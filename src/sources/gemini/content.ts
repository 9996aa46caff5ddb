import type { TYPED } from "./reasons.ts";
import { list, obj, objects, str, type Native } from "../kit/native.ts";

/** Text after this marker was read from files the human named with `@`. */
const REFERENCED = /^\s*--- Content from referenced files ---/;
/** Texts the client writes in the user's name. `Please continue.` alone is not among them: people type it too. */
const INJECTED =
  /^(?:<session_context>|<hook_context>|This is the Gemini CLI\. We are setting up the context|System: (?:Please continue\.|Potential loop detected)|Here is the user's editor context)/;
const SUMMARY = /^\s*<(?:state_snapshot|compressed_chat_history|conversation_summary)>/;
const SHELL =
  /^I ran the following shell command:\n```sh\n([\s\S]*?)\n```\n(?:\nThis produced the following result:\n```\n([\s\S]*)\n```\s*$)?/;
/** A slash command, not a path: `/usr/bin/env …` has a second slash in its first word. */
const COMMAND = /^\/[A-Za-z][\w:.-]*(?=\s|$)/;

const WORKSPACE =
  /(?:Workspace Directories:|I'm currently working in the (?:following )?director(?:y|ies):)\s*(?:- )?([^\n]+)/;

/** The directory named in the context the client sets up; only needed if the store's registry is not available. */
export function workspaceIn(text: string): string | null {
  return WORKSPACE.exec(text)?.[1]?.trim() ?? null;
}

/** The parts of a message; older versions wrote a plain string. */
export function partsOf(content: unknown): readonly Native[] {
  if (typeof content === "string") return [{ text: content }];
  const single = obj(content);
  if (single) return [single];
  return objects(list(content).map((part) => (typeof part === "string" ? { text: part } : part)));
}

export function textOf(content: unknown): string {
  let text = "";
  for (const part of partsOf(content)) if (part["thought"] !== true) text += str(part["text"]) ?? "";
  return text;
}

type TypedKind = keyof typeof TYPED;

export interface UserMessage {
  role: "result" | "injected" | "summary" | "human";
  /** What the human typed, or the whole text of a message nobody typed. */
  text: string;
  kind: TypedKind;
  attachments: number;
  /** Output of a command run with `!`. */
  printed?: string;
}

/** Determines who wrote a `user` message. */
export function readUser(record: Native): UserMessage {
  const parts = partsOf(record["content"]);
  const text = textOf(record["content"]);
  const base: UserMessage = { role: "human", text, kind: "prompt", attachments: 0 };
  const results = parts.filter((part) => obj(part["functionResponse"]) !== null);
  if (results.length > 0 && text.trim() === "") return { ...base, role: "result" };
  if (INJECTED.test(text)) return { ...base, role: "injected" };
  if (SUMMARY.test(text)) return { ...base, role: "summary" };
  const shell = SHELL.exec(text);
  if (shell) return { ...base, kind: "shell", text: `!${shell[1] ?? ""}`, printed: shell[2] ?? "" };
  // A slash command is stored as the prompt it expands to; what was typed is kept for display.
  const shown = textOf(record["displayContent"]);
  const typed = shown === "" ? typedParts(parts) : shown;
  const attachments = parts.filter((part) => obj(part["inlineData"]) ?? obj(part["fileData"])).length;
  return { role: "human", text: typed, kind: COMMAND.test(typed) ? "command" : "prompt", attachments };
}

function typedParts(parts: readonly Native[]): string {
  let text = "";
  for (const part of parts) {
    const piece = str(part["text"]) ?? "";
    if (text !== "" && REFERENCED.test(piece)) break;
    text += piece;
  }
  return text;
}
