import type { ToolServer } from "./agents/model.ts";
import type { Request } from "./journal.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** The tools of one run, and what was written with them. */
export interface RunTools {
  server(request: Request): ToolServer;
  /** All that was written, as one answer; null when nothing was. */
  written(request: Request): string | null;
  /** Whether nothing is missing: a run that was killed after its last write need not be repeated. */
  isEnough?: (answer: string) => boolean;
}

/** How an agent reads and writes with tools instead of in one text. */
export interface ToolProvider {
  answerRule(kind: "evidence" | "project" | "day"): string;
  evidence(about: { project: string; session: string }, pending: readonly TurnEvidence[]): RunTools;
  project(about: { project: string }, pending: readonly string[]): RunTools;
  day(): RunTools;
}
