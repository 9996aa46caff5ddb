import type { Proof } from "../../views/narrative.ts";
import type { Scope } from "./scope.ts";

/** The strongest proof that the cited lines contain, whatever was said about them. */
export function proofOf({ calls, commits }: Scope): Proof {
  if (commits.length > 0) return "commit";
  if (calls.some(({ check }) => check?.result === "ok" && check.isLast)) return "check_passed";
  const ok = calls.filter(({ status }) => status === "ok");
  if (ok.some(({ files }) => files.length > 0)) return "files_changed";
  return ok.length > 0 ? "call_ok" : "said_only";
}
