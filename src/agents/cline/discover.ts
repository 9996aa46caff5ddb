/** Where sessions are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext } from "../contract.ts";
import type { LogPlaces } from "../kit/log-source.ts";
import { headOf, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "cline";
const SUFFIX = ".messages.json";

/** The agent's directory of data, by its own variables in its own order. */
export function dataOf(env: DiscoverContext["env"], home: string): string {
  return env["CLINE_DATA_DIR"]?.trim() || join(env["CLINE_DIR"]?.trim() || join(home, ".cline"), "data");
}

export const LOGS: LogPlaces = {
  source: SOURCE_ID,
  name: "Cline",
  home: dataOf,
  stores: ["sessions", join("data", "sessions"), join(".cline", "data", "sessions")],
  suffix: SUFFIX,
  recognise,
  beside: (path) => [join(dirname(path), manifestOf(path))],
  sessionId: sessionIdOf,
};

/** One document, written with or without line breaks; the messages come behind the facts. */
function recognise(path: string): SniffResult {
  const head = headOf(path);
  if (head === null) return "unreadable";
  const isOurs = /^\s*\{\s*"version":\s*\d/.test(head) && /"messages":\s*\[/.test(head) && /"updated_at":/.test(head);
  return isOurs ? "yes" : "no";
}

/** The file with the facts of the session, beside its messages. */
export function manifestOf(path: string): string {
  return `${sessionOf(path)}.json`;
}

/** `<session>/<session>.messages.json`; those of sub-agents have names of their own. */
function sessionOf(path: string): string {
  return basename(dirname(path.replaceAll("\\", "/")));
}

export function isSubagent(path: string): boolean {
  return sessionIdOf(path).startsWith(`${sessionOf(path)}__`);
}

/** The agent's own id of a sub-agent: `<session>__<agent>`. */
export function sessionIdOf(path: string): string {
  const [session, name] = [sessionOf(path), basename(path.replaceAll("\\", "/"), SUFFIX)];
  return name.startsWith("agent_") ? `${session}__${name}` : name;
}
