// How each agent is asked, without a human: the words of its command, and how it names the session it made. What it needs
// of its environment stands in scripts/real-agents.js.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AGENTS, CLIENTS } from "../real-agents.js";

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const named = (pattern) => (out) => pattern.exec(out)?.[1] ?? null;
const ALLOWED = ["Bash", "Edit", "Write", "Read", "Agent", "Task", "TodoWrite", "TaskCreate", "Skill"];

/** A hook that refuses every command with the word FORBIDDEN. */
const GUARD = "grep -q FORBIDDEN && { echo not here >&2; exit 2; } || exit 0";
const CLAUDE_SETTINGS = {
  permissions: { allow: ALLOWED },
  cleanupPeriodDays: 3650,
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: GUARD }] }] },
};

/**
 * `can`: what scenarios may need of it. `store`: where its sessions lie below its home. `loses`: what the agent itself does
 * not write in a scenario, so that nobody can read it (`outcome`, `calls`, `tokens`), as seen in its store.
 */
export const DRIVEN = {
  "claude-code": {
    ...AGENTS["claude-code"],
    store: ".claude",
    can: ["fork", "deny", "agent", "nest", "background", "hook", "compact", "patience"],
    settings: ({ home }) => put(join(home, ".claude/settings.json"), JSON.stringify(CLAUDE_SETTINGS)),
    words: ({ text, how, session, special }) => [
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      ...(how ? ["-r", session] : []),
      ...(how === "fork" ? ["--fork-session"] : []),
      ...(special === "deny" ? ["--disallowedTools", "Bash(ls:*)", "--"] : []),
      text,
    ],
    session: named(/"session_id":"([^"]+)"/),
  },
  codex: {
    ...AGENTS.codex,
    store: ".codex",
    can: ["fork", "agent", "nest", "image"],
    settings: (where) => AGENTS.codex.settings({ ...where, free: true }),
    words: ({ text, how, session, special }) => {
      const flags = ["--json", "--skip-git-repo-check"];
      if (how === "fork") return ["exec", "fork", ...flags, session, text];
      const image = special === "image" ? ["-i", "dot.png", "--"] : [];
      return ["exec", ...flags, ...(how ? ["resume", session] : []), ...image, text];
    },
    session: named(/"thread_id":"([^"]+)"/),
  },
  opencode: {
    ...AGENTS.opencode,
    store: ".local/share/opencode",
    can: ["fork", "agent"],
    // Its calls stay running for ever, without tokens; a shell that is killed is never noticed.
    loses: {
      "a killed command": ["outcome", "calls", "tokens"],
      "interrupted during a tool": ["calls", "tokens"],
      "killed during a tool": ["tokens"],
    },
    settings: (where) => AGENTS.opencode.settings({ ...where, free: true }),
    words: ({ text, how, session }) => [
      "run",
      "--format",
      "json",
      ...(how ? ["--session", session] : []),
      ...(how === "fork" ? ["--fork"] : []),
      text,
    ],
    session: named(/"sessionID":"([^"]+)"/),
  },
  goose: {
    ...CLIENTS.goose,
    store: ".local/share/goose",
    can: [],
    // After an error and after a signal only the prompt is in its database.
    loses: {
      "an API error": ["outcome"],
      "interrupted during a tool": ["calls"],
      "killed during a tool": ["calls"],
    },
    // Sessions are chosen by a name that the caller gives.
    words: ({ text, how, run, session }) => [
      "run",
      "--name",
      how ? session : `run${run}`,
      ...(how ? ["--resume"] : []),
      "-t",
      text,
    ],
    session: (_, { how, run, session }) => (how ? session : `run${run}`),
  },
};
