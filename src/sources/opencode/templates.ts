import { join } from "node:path";
import { CommandTemplates, type BuiltInCommand } from "../kit/templates.ts";

const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts:
      "Please analyze this codebase and create an AGENTS.md file containing:\n1. Build/lint/test commands - especially for running a single test",
  },
  {
    called: "/init",
    starts:
      "Create or update `AGENTS.md` for this repository.\n\nThe goal is a compact instruction file that helps future OpenCode sessions",
    typed: /^User-provided focus or constraints \(honor these\):\n([\s\S]*?)\n\n## /m,
  },
];

const DATA = /^(.*)[\\/]\.local[\\/]share[\\/]opencode[\\/]/;

/** Custom commands are stored with the settings, in the same home directory as the data. */
export function templatesFor(path: string): CommandTemplates {
  const home = DATA.exec(path)?.[1];
  const config = home === undefined ? null : join(home, ".config", "opencode");
  const folders = config === null ? [] : ["command", "commands"].map((name) => join(config, name));
  return new CommandTemplates(
    BUILT_IN,
    folders.map((dir) => ({ dir, formats: ["md"], nested: "/" })),
  );
}
