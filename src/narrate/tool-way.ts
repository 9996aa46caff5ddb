import type { ToolServer } from "./agents/model.ts";
import type { Request } from "./journal.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** The tools of one run, and what was written by them in it. */
export interface RunTools {
  server(request: Request): ToolServer;
  /** All that was written, as one answer; null when nothing was. */
  written(request: Request): string | null;
  /** Nothing is missing in it: a run that was killed after its last write need not be run again. */
  isEnough?: (answer: string) => boolean;
}

/** How an agent reads and writes by tools instead of in one text. */
export interface ToolWay {
  answerRule(kind: "evidence" | "project" | "day"): string;
  evidence(about: { project: string; session: string }, pending: readonly TurnEvidence[]): RunTools;
  project(about: { project: string }, pending: readonly string[]): RunTools;
  day(): RunTools;
}
