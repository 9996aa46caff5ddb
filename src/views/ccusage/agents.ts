/** The reports of `ccusage`, named as on its command line. */
export const REPORTS = ["daily", "weekly", "monthly", "session", "blocks", "statusline"] as const;
export type CcusageReport = (typeof REPORTS)[number];
export type Period = Extract<CcusageReport, "daily" | "weekly" | "monthly">;

export function isPeriod(report: string): report is Period {
  return report === "daily" || report === "weekly" || report === "monthly";
}

export interface CcusageAgent {
  /** The name used by `ccusage`. */
  name: string;
  source: string;
  reports: readonly CcusageReport[];
  /** Its weeks begin on Sunday; those of all agents together begin on Monday. */
  weeksFromSunday?: true;
  /** Its rows have models keyed by name, separate reasoning tokens, `costUSD`, and paths as session ids. */
  byModelName?: true;
}

const PLAIN = ["daily", "monthly", "session"] as const;

/** The agents of `ccusage` with their sources and supported reports. */
const AGENTS: readonly CcusageAgent[] = [
  { name: "claude", source: "claude-code", reports: REPORTS, weeksFromSunday: true },
  { name: "codex", source: "codex", reports: PLAIN, byModelName: true },
  { name: "opencode", source: "opencode", reports: ["daily", "weekly", "monthly", "session"] },
  ...["copilot", "gemini", "goose", "pi", "qwen"].map((name) => ({ name, source: name, reports: PLAIN })),
];

/** Flags of `ccusage` for the location of one agent's sessions. `name`: the key in the parsed options. */
export const PLACE_FLAGS = [{ flag: "--pi-path <dirs>", name: "piPath", source: "pi" }] as const;

/** Flags of `ccusage` that are rejected because the answer would be wrong, with the reason. */
export const REFUSED_FLAGS = [
  { flag: "--open-claw-path <dirs>", name: "openClawPath", why: "OpenClaw's sessions are not read by Daybook" },
] as const;

/** Blocks and the status line cover only this source. */
export const BLOCK_SOURCE = "claude-code";

export function findAgent(name: string): CcusageAgent | null {
  return AGENTS.find((agent) => agent.name === name) ?? null;
}

export function agentNames(): string[] {
  return AGENTS.map(({ name }) => name);
}

/** A source that `ccusage` does not read keeps its own name. */
export function agentOf(source: string): CcusageAgent {
  return AGENTS.find((agent) => agent.source === source) ?? { name: source, source, reports: PLAIN };
}
