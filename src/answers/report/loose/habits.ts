import type { WorkTurn } from "./evidence.ts";
import type { Thread } from "../threads.ts";

/** So many other threads must show a habit before one that departs from it says something. */
const LEAST = 5;
/** The share of threads that follow it. */
const MOSTLY = 0.8;
/** Commits wait for company before they are pushed: a habit of pushing shows only where it has no exceptions. */
const LEAST_PUSHES = 4;
/** The branch most commits are made on. */
const MAIN_SHARE = 0.6;

/**
 * What the people and agents of a project usually do, by its other threads: where nobody commits through an agent,
 * files that are not committed are not left over.
 */
export class Habits {
  readonly #threads: readonly Thread<WorkTurn>[];

  constructor(threads: readonly Thread<WorkTurn>[]) {
    this.#threads = threads;
  }

  /** Changed files are usually committed. */
  commits(own: readonly WorkTurn[]): boolean {
    const changing = this.#others(own).filter((turns) => turns.some(({ edits }) => edits.length > 0));
    return isMostly(changing, (turns) => turns.some(({ commits }) => commits.length > 0));
  }

  /** Commits are usually pushed in the thread that made them. */
  pushes(own: readonly WorkTurn[]): boolean {
    const committing = this.#others(own).filter((turns) => turns.some(({ commits }) => commits.length > 0));
    return committing.length >= LEAST_PUSHES && committing.every(isPushed);
  }

  /** Commits usually go to another branch. */
  isSideBranch(branch: string, own: readonly WorkTurn[]): boolean {
    const count = new Map<string, number>();
    let all = 0;
    for (const turns of this.#others(own)) {
      const on = turns.flatMap((turn) => turn.commits.flatMap((commit) => commit.branch ?? turn.branch ?? [])).at(-1);
      if (on === undefined) continue;
      all++;
      count.set(on, (count.get(on) ?? 0) + 1);
    }
    const [main, most] = [...count].toSorted((a, b) => b[1] - a[1])[0] ?? [branch, 0];
    return main !== branch && all >= LEAST && most / all >= MAIN_SHARE && (count.get(branch) ?? 0) <= all / 10;
  }

  #others(own: readonly WorkTurn[]): (readonly WorkTurn[])[] {
    return this.#threads.flatMap(({ turns }) => (turns === own ? [] : [turns]));
  }
}

function isPushed(turns: readonly WorkTurn[]): boolean {
  return turns.some(({ facts }) =>
    facts.steps?.some(({ status, deeds }) => status === "ok" && deeds.some(({ kind }) => kind === "push")),
  );
}

function isMostly<T>(all: readonly T[], does: (one: T) => boolean): boolean {
  return all.length >= LEAST && all.filter((one) => does(one)).length / all.length >= MOSTLY;
}
