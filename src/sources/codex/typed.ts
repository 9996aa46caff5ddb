import type { TriggerKind } from "../../format/record.ts";
import { fieldsOf, listOf, wordOf } from "./fields.ts";
import { parseJson } from "../../io/json.ts";

const REQUEST = /^## My request(?: for Codex)?:[^\S\n]*\n?/gm;
/** Every section that editors and the desktop client put before the request; the list is from their prompt builder. */
const SECTION =
  /^\s*(?:# (?:Context from my IDE setup|Selected text|Files (?:mentioned|pasted) by the user|Applications mentioned by the user|Response annotations|Diff comments|Browser comments|MCP app context|Failing PR checks|Pull request merge conflict|Chrome tabs|In app browser)\b|## (?:Prior conversation with Codex|Referenced chats with Codex|Referenced ChatGPT conversation|Code review guidelines|Pull request fix|Pull request merge task|Auto resolve merge|My request(?: for Codex)?):|The attached pasted text file\(s\) contain the user's request\.|<in-app-browser-context[\s>])/i;
const DELEGATED = /^\s*<realtime_delegation>[\s\S]*?<input>([\s\S]*?)<\/input>[\s\S]*<\/realtime_delegation>\s*$/i;
const BROWSER = /^\s*<in-app-browser-context\b[^>]*>[\s\S]*?<\/in-app-browser-context>\s*/i;
/** Comments on a page or a change. */
const COMMENT =
  /^(?:Comment|Requested changes):[^\S\n]*\n([\s\S]*?)(?=^#{1,2} |^<in-app-browser-context|^Style provenance:|(?![\s\S]))/gm;

/** The part of the prompt that the human typed: editors put their context before the request. */
export function typedText(text: string): string {
  const spoken = DELEGATED.exec(text);
  if (spoken) return (spoken[1] ?? "").trim();
  if (!SECTION.test(text)) return text;
  // The last heading counts, as in the client's own display: quoted earlier conversations have such headings as well.
  const request = [...text.matchAll(REQUEST)].at(-1);
  const before = request ? text.slice(0, request.index) : text;
  const asked = request ? text.slice(request.index + request[0].length).trim() : withoutBrowser(text);
  if (asked !== "") return asked;
  // The request itself is empty: the human's text is in the comments.
  const comments = [...before.matchAll(COMMENT)].map((match) => (match[1] ?? "").trim()).filter((said) => said !== "");
  return comments.length > 0 ? comments.join("\n") : text;
}

/** Whether a client put its context before the request, which it only does for what a human typed. */
export function hasClientContext(text: string): boolean {
  return SECTION.test(text) && typedText(text) !== text;
}

function withoutBrowser(text: string): string {
  return BROWSER.test(text) ? text.replace(BROWSER, "").trim() : text;
}

const REPLY = /^\s*<send_user_message_question_reply\b[^>]*>([\s\S]*)<\/send_user_message_question_reply>\s*$/;

/** The desktop client returns answers to the agent's questions as a list; null when the text is something else. */
export function answersIn(text: string): string | null {
  const inner = REPLY.exec(text)?.[1];
  if (inner === undefined) return null;
  try {
    const answers = listOf(parseJson(inner)).flatMap((one) => wordOf(fieldsOf(one).answer) ?? []);
    return answers.length > 0 ? answers.join("\n") : null;
  } catch {
    return null;
  }
}

const HAND_OVER =
  /^\s*(?:A previous agent produced the plan below|PLEASE IMPLEMENT THIS PLAN|Read the approved plan at \S[^\n]*\bapproved-plan\.md and implement it\.\s*$)/;

/** Whether a client hands over a plan to another thread: a human action, but the human did not write the text. */
export function isHandOver(text: string): boolean {
  return HAND_OVER.test(text);
}

export function kindOfPrompt(text: string, running: boolean): TriggerKind {
  if (isHandOver(text)) return "command";
  return running ? "queued" : "prompt";
}

const SHELL = /<command>\n?([\s\S]*?)\n?<\/command>/;
const SHELL_EXIT = /<result>\s*Exit code: (-?\d+)\s*\n(?:Duration: ([\d.]+) seconds)?/;
const SHELL_OUTPUT = /\nOutput:\n([\s\S]*?)\n?<\/result>/;

export interface ShellTranscript {
  command: string;
  exitCode: number | null;
  durationMs: number | null;
  output: string;
}

/** Parses the `<user_shell_command>` message, which records a command typed with `!`. */
export function shellTranscript(text: string): ShellTranscript | null {
  const command = SHELL.exec(text)?.[1];
  if (command === undefined) return null;
  const exit = SHELL_EXIT.exec(text);
  return {
    command,
    exitCode: exit?.[1] === undefined ? null : Number(exit[1]),
    durationMs: exit?.[2] === undefined ? null : Math.round(Number(exit[2]) * 1000),
    output: SHELL_OUTPUT.exec(text)?.[1] ?? "",
  };
}
