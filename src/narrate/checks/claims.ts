import { kindsOf, type ActKind } from "../../answers/digest/acts.ts";
import { asksHuman, showsPlan } from "../../agents/traits.ts";
import { flat } from "../../answers/digest/text.ts";
import type { ClaimKind } from "../../views/day-review.ts";
import type { GivenOutcome, Proof } from "../../views/narrative.ts";
import type { EvidenceCall } from "../turn-evidence.ts";
import { digitsIn } from "./numbers.ts";
import type { Problem } from "./problem.ts";
import type { Scope } from "./scope.ts";

/** What the records show of a claim, in the program's own words. */
export interface Shown {
  proof: Exclude<Proof, "said_only">;
  shown: string;
}

/**
 * What the cited lines show of a claim; null: nothing. The writer picks the kind of the claim and its lines, so it does
 * not matter what its prose says, nor in which language: the proof never vouches for more than what it names itself.
 */
export function shownBy(claim: ClaimKind, scope: Scope, prose: string): Shown | null {
  const ok = scope.calls.filter(({ status }) => status === "ok");
  switch (claim) {
    case "changed":
      return changes(ok, null);
    case "created":
      return changes(ok, "created");
    case "deleted":
      return changes(ok, "deleted");
    case "ran":
      return ran(scope.calls);
    case "committed": {
      const [first, ...rest] = scope.commits;
      if (!first) return null;
      const more = rest.length === 0 ? "" : `, and ${rest.length} more`;
      const { hash, subject } = first;
      return {
        proof: "commit",
        shown: `commit ${hash ?? "without a known hash"}${subject === null ? "" : ` “${short(subject)}”`}${more}`,
      };
    }
    case "merged":
      return did(ok, "merge", "commit", "merged");
    case "pushed":
      return did(ok, "push", "call_ok", "pushed");
    case "released":
      return did(ok, "release", "call_ok", "released by");
    case "asked":
    case "decided": {
      const call = scope.calls.find(
        ({ name, status }) => (asksHuman(name) || showsPlan(name)) && (claim === "asked" || status === "ok"),
      );
      return call
        ? { proof: "call_ok", shown: `${claim === "asked" ? "asked" : "answered"} through ${call.name}` }
        : null;
    }
    case "measured":
      return measured(scope, prose);
    case "said":
      return null;
  }
}

function changes(calls: readonly EvidenceCall[], operation: string | null): Shown | null {
  const found = calls
    .flatMap((call) => call.changes)
    .filter((one) => operation === null || one.operation === operation);
  const names = [...new Set(found.map((one) => `${one.operation} ${one.path}`))];
  if (names.length === 0) return null;
  const more = names.length > 3 ? `, and ${names.length - 3} more` : "";
  return { proof: "files_changed", shown: `${names.slice(0, 3).join(", ")}${more}` };
}

/** The last check of each kind decides; if one failed, that is shown. Without a check: a command that ended well. */
function ran(calls: readonly EvidenceCall[]): Shown | null {
  const checks = calls.filter(({ check }) => check !== null);
  const deciding = checks.filter(({ check }) => check?.isLast === true);
  const last = deciding.find(({ check }) => check?.result !== "ok") ?? deciding.at(-1);
  if (last) {
    const isOk = last.check?.result === "ok";
    return isOk
      ? { proof: "check_passed", shown: `passed: ${short(last.command)}` }
      : { proof: "check_failed", shown: `${last.check?.result ?? "failed"}: ${short(last.command)}` };
  }
  if (checks.length > 0) return null;
  const done = calls.findLast(({ status, command }) => status === "ok" && command !== "");
  return done ? { proof: "call_ok", shown: `ended well: ${short(done.command)}` } : null;
}

function did(calls: readonly EvidenceCall[], kind: ActKind, proof: Shown["proof"], words: string): Shown | null {
  // A command whose failure is ignored proves nothing by ending well.
  const call = calls.findLast(({ command }) => !command.includes("||") && kindsOf(command, false).includes(kind));
  return call ? { proof, shown: `${words}: ${short(call.command)}` } : null;
}

/** The printed line that holds a number of the statement. */
function measured(scope: Scope, prose: string): Shown | null {
  const numbers = digitsIn(prose);
  for (const { lines, calls } of scope.parts())
    for (const { end_line, status, command } of calls) {
      // A program that was given the number may only repeat it.
      if (status !== "ok" || digitsIn(command).some((number) => numbers.includes(number))) continue;
      const printed = lines.find(({ line, by }) => by === "tool" && line === end_line)?.text.split("\n") ?? [];
      const found = printed.find((line) => digitsIn(line).some((number) => numbers.includes(number)));
      if (found !== undefined) return { proof: "call_ok", shown: `printed: ${short(found)}` };
    }
  return null;
}

/** A claim that the cited lines do not show. */
export function claimProblems({ claim, summary }: GivenOutcome, scope: Scope, path: string): Problem[] {
  if (claim === "said" || shownBy(claim, scope, summary) !== null) return [];
  return [
    {
      rule: `claim.not_shown.${claim}`,
      path: `${path}.claim`,
      message: `nothing in the cited lines shows that something was ${claim}`,
      hint: "cite the lines that record it, pick the claim they show, or choose said",
    },
  ];
}

function short(text: string): string {
  const one = flat(text);
  return one.length <= 120 ? one : `${[...one].slice(0, 119).join("")}…`;
}
