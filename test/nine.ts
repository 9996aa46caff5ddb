import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { announcements, header, message, prompt, reply, REPORT } from "../src/agents/aider/testing.ts";
import { scratch, type Roots } from "./store/fixture.ts";
import { CORPUS, sourceOfCorpus } from "./truth.ts";

/** A genuine store of each agent; where there is a pattern, only session files that match it. */
const STORES: Readonly<Record<string, RegExp | null>> = {
  "claude-1.0.64": /088b10c2/,
  // A fork, its origin, and an unrelated session.
  "codex-0.166.0": /01a1de02-b05f|01a1de02-b245|01a1de02-2de4/,
  "copilot-1.0.102": /04f6c590/,
  "gemini-0.24.0": /session-/,
  "goose-1.34.0": null,
  "opencode-1.1.53": null,
  "pi-0.87.1": /07-09-53/,
  "qwen-0.21.2": /chats/,
};

/** Genuine Aider histories may not be included here: this one is hand-written in the same format. */
const AIDER = [
  header(),
  announcements(),
  prompt("fix the lantern"),
  reply("Done: it hangs straight."),
  REPORT,
  header("2024-08-09 09:00:00"),
  announcements(),
  prompt("and the rope"),
  reply("It holds."),
  message("Bye"),
].join("");

/** A few sessions of each of nine agents, copied to a directory where tests may change them. */
export function nine(dir: string = scratch("nine")): { dir: string; roots: Roots } {
  const roots: Roots = {};
  for (const [label, pattern] of Object.entries(STORES)) {
    const from = join(CORPUS, label);
    cpSync(from, join(dir, label), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => pattern === null || !path.endsWith(".jsonl") || pattern.test(relative(from, path)),
    });
    (roots[sourceOfCorpus(label)] ??= []).push(join(dir, label));
  }
  const aider = join(dir, "aider/.aider.chat.history.md");
  mkdirSync(dirname(aider), { recursive: true });
  writeFileSync(aider, AIDER);
  roots["aider"] = [dirname(aider)];
  return { dir, roots };
}
