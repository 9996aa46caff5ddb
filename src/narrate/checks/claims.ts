import { kindsDone, type ActKind } from "../../answers/digest/acts.ts";
import { asksHuman, showsPlan } from "../../agents/traits.ts";
import { flat } from "../../answers/digest/text.ts";
import type { Commit } from "../../views/facts/facts.ts";
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

/** What a turn, or some lines of it, hold: a claim is looked up here, whoever makes it. */
export interface Recorded {
  /** Commands that ended well, with what they have done. */
  done: readonly { command: string; did: readonly ActKind[] }[];
  changes: readonly { path: string; operation: string }[];
  commits: readonly Pick<Commit, "hash" | "subject">[];
  /** The last check of each kind, however it ended. */
  checks: readonly { command: string; result: string }[];
  /** Whether a check was run at all. */
  hasChecks: boolean;
  /** How something was asked, and how that was answered. */
  asked: string | null;
  answered: string | null;
}

/**
 * What the records show of a claim; null: nothing. The writer picks the kind of the claim, so it does not matter what its
 * prose says, nor in which language: the proof never vouches for more than what it names itself.
 */
export function shownIn(claim: Exclude<ClaimKind, "measured">, recorded: Recorded): Shown | null {
  switch (claim) {
    case "changed":
      return changes(recorded, null);
    case "created":
    case "deleted":
      return changes(recorded, claim);
    case "ran":
      return ran(recorded);
    case "committed":
      return committed(recorded);
    case "merged":
      return did(recorded, "merge", "commit", "merged");
    case "pushed":
      return did(recorded, "push", "call_ok", "pushed");
    case "released":
      return did(recorded, "release", "call_ok", "released by");
    case "asked":
      return recorded.asked === null ? null : { proof: "call_ok", shown: short(`asked ${recorded.asked}`) };
    case "decided":
      return recorded.answered === null ? null : { proof: "call_ok", shown: short(`answered ${recorded.answered}`) };
    case "said":
      return null;
  }
}

function changes({ changes: all }: Recorded, operation: string | null): Shown | null {
  const found = all.filter((one) => operation === null || one.operation === operation);
  const names = [...new Set(found.map((one) => `${one.operation} ${one.path}`))];
  if (names.length === 0) return null;
  const more = names.length > 3 ? `, and ${names.length - 3} more` : "";
  return { proof: "files_changed", shown: `${names.slice(0, 3).join(", ")}${more}` };
}

function committed({ commits: [first, ...rest] }: Recorded): Shown | null {
  if (!first) return null;
  const more = rest.length === 0 ? "" : `, and ${rest.length} more`;
  const { hash, subject } = first;
  const named = subject === null ? "" : ` “${short(subject)}”`;
  return { proof: "commit", shown: `commit ${hash ?? "without a known hash"}${named}${more}` };
}

/** The last check of each kind decides; if one failed, that is shown. Without a check: a command that ended well. */
function ran({ checks, hasChecks, done }: Recorded): Shown | null {
  const last = checks.find(({ result }) => result !== "ok") ?? checks.at(-1);
  if (last)
    return last.result === "ok"
      ? { proof: "check_passed", shown: `passed: ${short(last.command)}` }
      : { proof: "check_failed", shown: `${last.result}: ${short(last.command)}` };
  const command = hasChecks ? undefined : done.findLast((one) => one.command !== "")?.command;
  return command === undefined ? null : { proof: "call_ok", shown: `ended well: ${short(command)}` };
}

function did({ done }: Recorded, kind: ActKind, proof: Shown["proof"], words: string): Shown | null {
  const found = done.findLast((one) => one.did.includes(kind));
  return found ? { proof, shown: `${words}: ${short(found.command)}` } : null;
}

/** What the cited lines show of a claim. */
export function shownBy(claim: ClaimKind, scope: Scope, prose: string): Shown | null {
  return claim === "measured" ? measured(scope, prose) : shownIn(claim, recordedIn(scope));
}

function through(call: EvidenceCall | undefined): string | null {
  return call ? `through ${call.name}` : null;
}

function recordedIn({ calls, commits }: Scope): Recorded {
  const ok = calls.filter(({ status }) => status === "ok");
  const checks = calls.filter(({ check }) => check?.isLast === true);
  const asking = calls.filter(({ name }) => asksHuman(name) || showsPlan(name));
  return {
    done: ok.map(({ command }) => ({ command, did: kindsDone(command) })),
    changes: ok.flatMap((call) => call.changes),
    commits,
    checks: checks.map(({ command, check }) => ({ command, result: check?.result ?? "failed" })),
    hasChecks: calls.some(({ check }) => check !== null),
    asked: through(asking[0]),
    answered: through(asking.find(({ status }) => status === "ok")),
  };
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

/** A command or subject, in one line. */
export function short(text: string): string {
  const one = flat(text);
  return one.length <= 120 ? one : `${[...one].slice(0, 119).join("")}…`;
}
