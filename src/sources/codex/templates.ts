import { join } from "node:path";
import { Templates, type BuiltIn } from "../kit/templates.ts";

const BUILT_IN: readonly BuiltIn[] = [
  {
    called: "/init",
    starts: "Generate a file named AGENTS.md that serves as a contributor guide for this repository.",
  },
];

const SESSIONS = /^(.*)[\\/](?:archived_)?sessions[\\/]/;

/** The human's own commands stand beside the sessions: one file each, no folders. */
export function templatesFor(path: string): Templates {
  const home = SESSIONS.exec(path)?.[1];
  return new Templates(
    BUILT_IN,
    home === undefined ? [] : [{ dir: join(home, "prompts"), formats: ["md"], nested: null }],
  );
}
