import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Genuine sessions that were open in two windows at once, one folder per agent. */
export const WINDOWS: string = fileURLToPath(new URL("fixtures/windows", import.meta.url));

/** What was typed and served, as the lab recorded it. */
export interface WindowSession {
  session: string;
  turns: WindowTurn[];
  /** Tokens of requests that no record states and only the agent's totals include. */
  unowned: Tokens;
}

export interface WindowTurn {
  /** The window in which it was typed. */
  window: number;
  text: string;
  kind: string;
  outcome: string;
  taken_back: string | null;
  /** The last text that was served. */
  final: string;
  tokens: Tokens;
  tokens_of_children: Tokens;
  /** How the calls ended, by id. */
  calls: Record<string, string>;
  /** The option chosen, if it asked something. */
  answer?: string;
}

/** Fresh input, cache reads, cache writes, output. */
export type Tokens = [number, number, number, number];

export const WINDOW_TRUTH: Record<string, WindowSession[]> = JSON.parse(
  readFileSync(join(WINDOWS, "TRUTH.json"), "utf8"),
) as Record<string, WindowSession[]>;
