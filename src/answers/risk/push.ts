import { has, operands } from "../../shell/options.ts";
import type { Ran } from "../../shell/ran.ts";

/** `plain` overwrites whatever is there, `lease` only what was last seen; null when nothing is forced. */
export function forcedPush({ program, args }: Ran): "plain" | "lease" | null {
  if (program !== "git") return null;
  const before = /^(?:-[Cc]|--git-dir|--work-tree|--namespace)$/;
  const [command] = operands(args, before);
  if (command !== "push") return null;
  const given = args.slice(args.indexOf("push") + 1);
  if (has(given, /^--dry-run$/, "n")) return null;
  const [, ...refspecs] = operands(given, /^(?:-o|--push-option|--receive-pack|--exec|--repo)$/);
  if (has(given, /^--(?:force|mirror)$/, "f") || refspecs.some((spec) => spec.startsWith("+"))) return "plain";
  return has(given, /^--force-with-lease(?:=|$)/) ? "lease" : null;
}
