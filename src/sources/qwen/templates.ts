import { join } from "node:path";
import { CommandTemplates, type BuiltInCommand } from "../kit/templates.ts";

const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts:
      "You are Qwen Code, an interactive CLI agent. Analyze the current directory and generate a comprehensive QWEN.md file",
  },
];

const CHATS = /^(.*)[\\/](?:projects|tmp)[\\/][^\\/]+[\\/]chats[\\/]/;

/** Without a terminal the command itself is not recorded; its text may still be in the human's own files. */
export function templatesFor(path: string): CommandTemplates {
  const home = CHATS.exec(path)?.[1];
  return new CommandTemplates(
    BUILT_IN,
    home === undefined ? [] : [{ dir: join(home, "commands"), formats: ["md", "toml"], nested: ":" }],
  );
}
