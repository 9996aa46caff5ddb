import { hasOption, operands } from "../../base/shell/options.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";

/** `plain` overwrites any remote state, `lease` only the last known one; null when the push is not forced. */
export function forcedPush({ program, args }: ProgramRun): "plain" | "lease" | null {
  if (program !== "git") return null;
  const before = /^(?:-[Cc]|--git-dir|--work-tree|--namespace)$/;
  const [command] = operands(args, before);
  if (command !== "push") return null;
  const given = args.slice(args.indexOf("push") + 1);
  if (hasOption(given, /^--dry-run$/, "n")) return null;
  const [, ...refspecs] = operands(given, /^(?:-o|--push-option|--receive-pack|--exec|--repo)$/);
  if (hasOption(given, /^--(?:force|mirror)$/, "f") || refspecs.some((spec) => spec.startsWith("+"))) return "plain";
  return hasOption(given, /^--force-with-lease(?:=|$)/) ? "lease" : null;
}
