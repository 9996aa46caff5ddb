import { join } from "node:path";
import { Templates, type BuiltIn } from "../kit/templates.ts";

const BUILT_IN: readonly BuiltIn[] = [
  {
    called: "/init",
    starts:
      "You are Qwen Code, an interactive CLI agent. Analyze the current directory and generate a comprehensive QWEN.md file",
  },
];

const CHATS = /^(.*)[\\/](?:projects|tmp)[\\/][^\\/]+[\\/]chats[\\/]/;

/** Without a terminal no word of the command is kept; its text may still stand in the human's own files. */
export function templatesFor(path: string): Templates {
  const home = CHATS.exec(path)?.[1];
  return new Templates(
    BUILT_IN,
    home === undefined ? [] : [{ dir: join(home, "commands"), formats: ["md", "toml"], nested: ":" }],
  );
}
