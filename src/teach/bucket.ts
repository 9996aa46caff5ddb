import { existsSync } from "node:fs";
import type { Asked } from "../turns/decisions/model.ts";
import { bucketOf } from "../turns/decisions/question-log.ts";
import { isNetworkPath } from "../base/io/named-path.ts";
import { slugOf } from "./slug.ts";
import type { State } from "./state.ts";

/**
 * The project folder that a question of a session belongs to: that of its directory, found as the hooks find it, or
 * that of its project when the directory is gone. Never that of Daybook's own working directory.
 */
export function bucketFor({ cwd, decision }: Pick<Asked, "cwd" | "decision">, state: State | null): string {
  const isThere = cwd !== null && !isNetworkPath(cwd) && existsSync(cwd);
  return isThere ? slugOf(cwd, state, {}) : bucketOf(decision.project);
}
