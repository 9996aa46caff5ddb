import { existsSync } from "node:fs";
import type { Asked } from "../decisions/model.ts";
import { bucketOf } from "../decisions/question-log.ts";
import { isElsewhere } from "../io/named-path.ts";
import { slugOf } from "./slug.ts";
import type { State } from "./state.ts";

/**
 * The folder a question of a session belongs to: that of its directory, found as the hooks find it; where the directory is gone, that
 * of its project. Never that of where Daybook runs.
 */
export function bucketFor({ cwd, decision }: Pick<Asked, "cwd" | "decision">, state: State | null): string {
  const isThere = cwd !== null && !isElsewhere(cwd) && existsSync(cwd);
  return isThere ? slugOf(cwd, state, {}) : bucketOf(decision.project);
}
