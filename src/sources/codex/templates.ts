import { join } from "node:path";
import { CommandTemplates, type BuiltInCommand } from "../kit/templates.ts";

const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts: "Generate a file named AGENTS.md that serves as a contributor guide for this repository.",
  },
];

const SESSIONS = /^(.*)[\\/](?:archived_)?sessions[\\/]/;

/** Custom commands are stored beside the sessions: one file each, without subfolders. */
export function templatesFor(path: string): CommandTemplates {
  const home = SESSIONS.exec(path)?.[1];
  return new CommandTemplates(
    BUILT_IN,
    home === undefined ? [] : [{ dir: join(home, "prompts"), formats: ["md"], nested: null }],
  );
}
