import { join } from "node:path";
import { Templates, type BuiltIn } from "../kit/templates.ts";

const BUILT_IN: readonly BuiltIn[] = [
  {
    called: "/init",
    starts:
      "You are an AI agent that brings the power of Gemini directly into the terminal. Your task is to analyze the current directory and generate a comprehensive GEMINI.md file",
  },
];

const CHATS = /^(.*)[\\/]tmp[\\/][^\\/]+[\\/]chats[\\/]/;

/** Older clients keep no word of the command; its text may still stand in the human's own files. */
export function templatesFor(path: string): Templates {
  const home = CHATS.exec(path)?.[1];
  return new Templates(
    BUILT_IN,
    home === undefined ? [] : [{ dir: join(home, "commands"), formats: ["toml"], nested: ":" }],
  );
}
