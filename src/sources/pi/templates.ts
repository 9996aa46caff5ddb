import { join } from "node:path";
import { Templates } from "../kit/templates.ts";

const SESSIONS = /^(.*)[\\/]sessions[\\/]/;

/** Prompt templates stand beside the sessions. */
export function templatesFor(path: string): Templates {
  const home = SESSIONS.exec(path)?.[1];
  return new Templates([], home === undefined ? [] : [{ dir: join(home, "prompts"), formats: ["md"], nested: null }]);
}
