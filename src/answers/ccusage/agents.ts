/** Reports that `ccusage` knows, in the words of its command line. */
export const REPORTS = ["daily", "weekly", "monthly", "session", "blocks", "statusline"] as const;
export type Report = (typeof REPORTS)[number];
export type Period = Extract<Report, "daily" | "weekly" | "monthly">;

export function isPeriod(report: string): report is Period {
  return report === "daily" || report === "weekly" || report === "monthly";
}

export interface Agent {
  /** As `ccusage` calls it. */
  name: string;
  source: string;
  reports: readonly Report[];
  /** Its weeks begin on Sunday, those of all agents together on Monday. */
  weeksFromSunday?: true;
  /** Models by name with reasoning apart, `costUSD`, and session ids that are paths. */
  byModelName?: true;
}

const PLAIN = ["daily", "monthly", "session"] as const;

/** Which source is meant by its name of an agent, and which of its reports there are. */
const AGENTS: readonly Agent[] = [
  { name: "claude", source: "claude-code", reports: REPORTS, weeksFromSunday: true },
  { name: "codex", source: "codex", reports: PLAIN, byModelName: true },
  { name: "opencode", source: "opencode", reports: ["daily", "weekly", "monthly", "session"] },
  ...["copilot", "gemini", "goose", "pi", "qwen"].map((name) => ({ name, source: name, reports: PLAIN })),
];

/** Flags of `ccusage` that say where one agent's sessions are. `name`: what the parser calls it. */
export const PLACE_FLAGS = [{ flag: "--pi-path <dirs>", name: "piPath", source: "pi" }] as const;

/** Flags of `ccusage` that are refused, with why: their answer would be wrong. */
export const REFUSED_FLAGS = [
  { flag: "--open-claw-path <dirs>", name: "openClawPath", why: "OpenClaw's sessions are not read by Daybook" },
] as const;

/** Blocks and the status line are about this one alone. */
export const BLOCK_SOURCE = "claude-code";

export function agentNamed(name: string): Agent | null {
  return AGENTS.find((agent) => agent.name === name) ?? null;
}

export function agentNames(): string[] {
  return AGENTS.map(({ name }) => name);
}

/** A source that `ccusage` does not read keeps its own name. */
export function agentOf(source: string): Agent {
  return AGENTS.find((agent) => agent.source === source) ?? { name: source, source, reports: PLAIN };
}
