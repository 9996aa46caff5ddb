import { programsOf } from "../../../base/shell/program-runs.ts";
import { runName, type Deed, type Step } from "../../../views/facts/steps.ts";

/**
 * Whether a later call did what an earlier one failed to do or was kept from doing, whoever made it: what stands in the
 * project's records closes a loose end there, not only what stands in the same conversation.
 */
export function isRedone(failed: Step, later: readonly Step[]): boolean {
  // Of several commands in a row the last is what the others were for.
  const aim = failed.deeds.findLast(({ kind }) => kind !== "branch");
  return aim !== undefined && later.some((step) => step.status === "ok" && does(step, aim, failed));
}

function does(step: Step, aim: Deed, failed: Step): boolean {
  return step.deeds.some(({ kind, name, dry }) => {
    if (kind !== aim.kind || dry === true) return false;
    if (kind === "commit") return true;
    // A push brings along what an earlier one could not, unless it names another branch.
    if (kind === "push") return !isOtherBranch(name, aim.name);
    return name === aim.name && isAsWide(step, failed, name);
  });
}

function isOtherBranch(name: string, other: string): boolean {
  const [, one] = name.split(" ");
  const [, two] = other.split(" ");
  return one !== undefined && one !== two && one !== "HEAD" && !/^v?\d/.test(one) && !MAIN.test(one);
}

/** A branch that the others are merged into. */
const MAIN = /^(?:main|master|trunk|develop)$/;

/** Whether a run covers another: it was given nothing that the other was not. `npm test` covers `npm test -- search`. */
function isAsWide(step: Step, failed: Step, name: string): boolean {
  if (step.about === failed.about) return step.about !== "";
  const [wide, narrow] = [wordsOfRun(step, name), wordsOfRun(failed, name)];
  return wide !== null && narrow !== null && [...wide].every((word) => narrow.has(word));
}

/** The words of the command that ran under the name; null when the command is not known. */
function wordsOfRun({ about }: Step, name: string): Set<string> | null {
  const ran = programsOf(about, { roots: [], cwd: null }).find((one) => runName(one) === name);
  return ran ? new Set(ran.args) : null;
}
