import type { TriggerKind } from "../../log/record.ts";

const REQUEST = /^## My request(?: for Codex)?:?[^\S\n]*\n?/m;
const WRAPPERS =
  /^\s*(?:# Context from my IDE setup|# Files mentioned by the user|# Selected text:|# In app browser:|<in-app-browser-context[\s>])/i;
const DELEGATED = /^\s*<realtime_delegation>[\s\S]*?<input>([\s\S]*?)<\/input>[\s\S]*<\/realtime_delegation>\s*$/i;

/** What the human typed, out of what the client sent: editors put their context in front of the request. */
export function typedText(text: string): string {
  const spoken = DELEGATED.exec(text);
  if (spoken) return (spoken[1] ?? "").trim();
  if (!WRAPPERS.test(text)) return text;
  const request = REQUEST.exec(text);
  return request ? text.slice(request.index + request[0].length).trim() : text;
}

const HAND_OVER = /^\s*(?:A previous agent produced the plan below|PLEASE IMPLEMENT THIS PLAN)/;

/** A plan handed over is a human action whose text was made by the agent. */
export function kindOfPrompt(text: string, running: boolean): TriggerKind {
  if (HAND_OVER.test(text)) return "command";
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

/** The `<user_shell_command>` message: the record Codex makes of a command typed with `!`. */
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
