import { join } from "node:path";
import { CommandTemplates, type BuiltInCommand } from "../kit/templates.ts";

const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts:
      "You are an AI agent that brings the power of Gemini directly into the terminal. Your task is to analyze the current directory and generate a comprehensive GEMINI.md file",
  },
];

const CHATS = /^(.*)[\\/]tmp[\\/][^\\/]+[\\/]chats[\\/]/;

/** Older clients record nothing about a command; its text may still be in the human's own files. */
export function templatesFor(path: string): CommandTemplates {
  const home = CHATS.exec(path)?.[1];
  return new CommandTemplates(
    BUILT_IN,
    home === undefined ? [] : [{ dir: join(home, "commands"), formats: ["toml"], nested: ":" }],
  );
}
