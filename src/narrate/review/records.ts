import { flat } from "../../answers/digest/text.ts";
import type { ActKind } from "../../answers/digest/acts.ts";
import type { DigestTurn } from "../../answers/digest/model.ts";
import type { ClaimKind, Missing } from "../../views/day-review.ts";
import { short, shownIn, type Recorded } from "../checks/claims.ts";

/** The turns of a day, to look up what the records of one, and of those after it, show. */
export class DayRecords {
  readonly turns: readonly DigestTurn[];
  readonly #at: ReadonlyMap<string, number>;

  constructor(turns: readonly DigestTurn[]) {
    this.turns = turns;
    this.#at = new Map(turns.map(({ name }, i) => [name, i]));
  }

  turn(name: string): DigestTurn | null {
    const at = this.#at.get(name);
    return at === undefined ? null : (this.turns[at] ?? null);
  }

  /** Later turns in the same place: the same directory, or the same session. */
  after(turn: DigestTurn): DigestTurn[] {
    return this.turns
      .slice((this.#at.get(turn.name) ?? 0) + 1)
      .filter(({ cwd, session }) => session === turn.session || (cwd !== null && cwd === turn.cwd));
  }

  /** Why the records contradict that something of this kind is missing; null if they do not. */
  contradicts(missing: Missing, turn: DigestTurn, words: string): string | null {
    const later = this.after(turn);
    switch (missing) {
      case "push":
        return firstOf([turn, ...later], (one) => pushed(one));
      case "commit":
        return committedAll(turn) ?? firstOf(later, (one) => committedEverything(one));
      case "merge":
        return firstOf([turn, ...later.filter(({ session }) => session === turn.session)], (one) =>
          did(one, "merge") ? `${one.name} merged` : null,
        );
      case "check":
        return passedAll(turn) ?? firstOf(later, (one) => passedAgain(turn, one));
      case "run":
      case "release":
        return firstOf([turn, ...later], (one) => ranQuoted(one, words));
      case "todo":
        return turn.todos.length > 0 && turn.todos.every(({ isDone }) => isDone)
          ? `all to-dos of ${turn.name} are ticked`
          : null;
      case "answer":
        return answered(turn, words);
      default:
        return null;
    }
  }

  /** Whether the records show that this was done in the turn. Null: they cannot tell. */
  shows(missing: Missing, turn: DigestTurn): boolean | null {
    switch (missing) {
      case "push":
        return did(turn, "push");
      case "commit":
        return did(turn, "commit") || turn.commits.length > 0;
      case "merge":
        return did(turn, "merge");
      case "check":
        return turn.lastCheck !== null && turn.lastCheck.result === "ok";
      case "release":
        return did(turn, "release") || did(turn, "push") ? true : null;
      default:
        return null;
    }
  }
}

/**
 * Something that a reason which names no kind may deny although it was done: a push, a commit or a merge of the turn whose
 * name it contains. The vocabulary is that of the records, so it needs no list of words, but whether it is denied only a
 * reader can tell.
 */
export function mayDeny(missing: Missing, why: string, turn: DigestTurn): ActKind | null {
  if (missing !== "other" && missing !== "work") return null;
  const small = why.toLowerCase();
  return (["push", "commit", "merge"] as const).find((kind) => did(turn, kind) && small.includes(kind)) ?? null;
}

/** What the records of the turn show of a claim, in our own words; null: nothing. A digest holds nothing that was printed. */
export function proofOf(claim: ClaimKind, turn: DigestTurn): string | null {
  return claim === "measured" ? null : (shownIn(claim, recordedIn(turn))?.shown ?? null);
}

function recordedIn({ acts, files, commits, lastCheck, questions }: DigestTurn): Recorded {
  const answered = questions.find(({ answer }) => answer !== null);
  return {
    done: acts
      .filter(({ status, command }) => status === "ok" && command !== "")
      .map(({ about, did: done }) => ({ command: about, did: done })),
    changes: files,
    commits,
    checks: lastCheck === null ? [] : [{ command: lastCheck.command ?? "", result: lastCheck.result }],
    hasChecks: lastCheck !== null,
    asked: questions[0]?.question ?? null,
    answered: answered?.answer ?? null,
  };
}

/** What the records say against calling the turn's request done; null: nothing. */
export function unmet({ outcome, lastCheck, name }: DigestTurn): string | null {
  if (outcome !== "completed") return `${name} ended ${outcome}`;
  if (lastCheck !== null && lastCheck.result !== "ok")
    return `its last check ended ${lastCheck.result}: ${short(lastCheck.command ?? "")}`;
  return null;
}

function did(turn: DigestTurn, kind: ActKind): boolean {
  return turn.acts.some((one) => one.did.includes(kind));
}

function firstOf(turns: readonly DigestTurn[], why: (turn: DigestTurn) => string | null): string | null {
  for (const turn of turns) {
    const found = why(turn);
    if (found !== null) return found;
  }
  return null;
}

/** A push after the last commit of the turn. */
function pushed({ acts, name }: DigestTurn): string | null {
  const push = acts.findLastIndex((one) => one.did.includes("push"));
  const commit = acts.findLastIndex((one) => one.did.includes("commit") || one.did.includes("merge"));
  return push >= 0 && push >= commit ? `a push succeeded in ${name}` : null;
}

/** A commit after the last change of the turn. */
function committedAll({ commits, files: changed, name }: DigestTurn): string | null {
  const last = commits.at(-1);
  if (!last) return null;
  const isLater = changed.some(({ line, by }) => by === last.by && line !== null && line > last.line);
  return isLater ? null : `${name} committed after its last change: ${commitText(last)}`;
}

/** A commit of whatever was changed. */
function committedEverything({ acts, name }: DigestTurn): string | null {
  const all = acts.find(
    (one) =>
      one.did.includes("commit") && /\bcommit\s+(?:-\w*a|--all)|\badd\s+(?:-A|--all|\.(?:\s|$))/.test(one.command),
  );
  return all ? `${name} committed everything` : null;
}

function passedAll({ acts, lastCheck, name }: DigestTurn): string | null {
  if (lastCheck === null || lastCheck.result !== "ok") return null;
  const last = acts.findLastIndex(({ does }) => does.includes("check"));
  const isTrouble = acts.slice(last + 1).some(({ status }) => status !== "ok");
  return isTrouble ? null : `the last check of ${name} passed: ${short(lastCheck.command ?? "")}`;
}

/** The check that failed in one turn ended well in a later one. */
function passedAgain({ lastCheck: before }: DigestTurn, { lastCheck: now, name }: DigestTurn): string | null {
  if (before === null || now === null || now.result !== "ok" || before.command !== now.command) return null;
  return `it passed in ${name}: ${short(now.command ?? "")}`;
}

/** A command that the words name in backticks was run and ended well. */
function ranQuoted({ acts, name }: DigestTurn, words: string): string | null {
  const named = [...words.matchAll(/`([^`]{4,200})`/g)].map(([, code = ""]) => flat(code));
  const found = acts.find(({ command, status }) => status === "ok" && command !== "" && named.includes(flat(command)));
  return found ? `it was run in ${name}: ${short(found.about)}` : null;
}

function answered({ questions, name }: DigestTurn, words: string): string | null {
  const found = questions.find(({ question, answer }) => answer !== null && flat(words).includes(flat(question)));
  return found ? `it was answered in ${name}: ${short(found.answer ?? "")}` : null;
}

function commitText({ hash, subject }: DigestTurn["commits"][number]): string {
  return short(`commit ${hash ?? "without a known hash"}${subject === null ? "" : ` ${subject}`}`);
}
