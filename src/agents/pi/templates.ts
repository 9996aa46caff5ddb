import { join } from "node:path";
import { CommandTemplates } from "../kit/prompts.ts";

const SESSIONS = /^(.*)[\\/]sessions[\\/]/;

/** Prompt templates are stored beside the sessions. */
export function templatesFor(path: string): CommandTemplates {
  const home = SESSIONS.exec(path)?.[1];
  return new CommandTemplates(
    [],
    home === undefined ? [] : [{ dir: join(home, "prompts"), formats: ["md"], nested: null }],
  );
}
