import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import type { DayDigest, DigestTurn } from "../../src/answers/digest/model.ts";
import { roughTokens } from "../../src/answers/digest/text.ts";
import { judgeAnswer, type Judged } from "../../src/narrate/review/judge.ts";

/** Judges what a reader would say, true and false, about every day of the month whose truth is known. */

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

interface TrueTurn {
  turn: string;
  day: string;
  written_outcome: string;
  calls: { command?: string; status: string }[];
  commits: unknown[];
  files: unknown[];
}
interface Truth {
  sessions: { session: string; turns: TrueTurn[] }[];
  days: Record<
    string,
    { loose_ends: { turn: string; why: string }[]; decisions: { turn: string; decision: string }[] }
  >;
}
const TRUTH = JSON.parse(readFileSync(join(MONTH, "TRUTH.json"), "utf8")) as Truth;
const truths = new Map<string, TrueTurn>(
  TRUTH.sessions.flatMap(({ session, turns }) => turns.map((one) => [`${session}/${one.turn}`, one] as const)),
);
const digests: DayDigest[] = [];

beforeAll(async () => {
  const roots = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };
  const daybook = new Daybook({ roots, timezone: "Europe/Berlin", now: Date.parse("2026-09-20T12:00:00Z") });
  for (const day of Object.keys(TRUTH.days)) digests.push(await inside(daybook).digest(day));
});

function judged(digest: DayDigest, given: Record<string, unknown[]>): Judged {
  const found = judgeAnswer(
    JSON.stringify(given),
    digest,
    digest.turns.map(({ name }) => name),
  );
  if (!found) throw new Error("no answer");
  return found;
}

/** The last sentence of what was sent of a turn. */
function lastWords({ sent }: DigestTurn): string {
  const text = (sent.findLast(({ by }) => by === "agent") ?? sent.findLast(({ by }) => by === "human"))?.text ?? "";
  return (
    text
      .split(/(?<=[.!?。？])\s+/)
      .at(-1)
      ?.slice(-300) ?? ""
  );
}

it("lets in what is truly open and decided, whatever kind the reader calls it", () => {
  const refused: unknown[] = [];
  let all = 0;
  for (const digest of digests) {
    const turns = new Map(digest.turns.map((one) => [`${one.session_id}/${one.turn_ref}`, one]));
    const { loose_ends = [], decisions = [] } = TRUTH.days[digest.day] ?? {};
    const opened = loose_ends.flatMap(({ turn, why }) => {
      const one = truths.get(turn)?.day === digest.day ? turns.get(turn) : undefined;
      return one ? [{ turn: one.name, missing: "other", quote: lastWords(one), why }] : [];
    });
    const decided = decisions.flatMap(({ turn, decision: why }) => {
      const one = turns.get(turn);
      const quote = one?.sent.find(({ by }) => by === "human")?.text.slice(0, 200);
      return one && quote !== undefined ? [{ turn: one.name, quote, why }] : [];
    });
    all += opened.length + decided.length;
    refused.push(...judged(digest, { opened, decided }).refused);
  }
  expect(all).toBeGreaterThan(40);
  expect(refused).toEqual([]);
});

it("lets in nothing that the records contradict, of any turn", () => {
  const let_in: string[] = [];
  let all = 0;
  for (const digest of digests)
    for (const turn of digest.turns) {
      const truth = truths.get(`${turn.session_id}/${turn.turn_ref}`);
      const quote = lastWords(turn);
      if (!truth || quote === "") continue;
      const lie = (list: "opened" | "results", given: object): void => {
        all++;
        const found = judged(digest, { [list]: [{ turn: turn.name, quote, why: "so it is", ...given }] });
        if (found[list].length > 0) let_in.push(`${digest.day} ${turn.name} ${JSON.stringify(given)}`);
      };
      const placeOf = (verb: RegExp): number =>
        truth.calls.findLastIndex(({ command = "", status }) => status === "ok" && verb.test(command));
      const [pushed, committed] = [placeOf(/git push/), placeOf(/git (?:commit|revert)/)];
      if (pushed >= 0 && pushed >= committed) lie("opened", { missing: "push" });
      if (truth.commits.length > 0) lie("opened", { missing: "commit" });
      if (committed < 0 && truth.commits.length === 0) lie("results", { claim: "committed", done: true });
      if (pushed < 0) lie("results", { claim: "pushed", done: true });
      if (truth.files.length === 0 && turn.files.length === 0) lie("results", { claim: "changed", done: true });
      if (truth.written_outcome !== "completed") lie("results", { claim: "said", done: true });
    }
  expect(all).toBeGreaterThan(300);
  expect(let_in).toEqual([]);
});

it("fits every day into one request of at most 4,000 tokens, the prompt included", () => {
  for (const { day, parts } of digests) {
    expect(parts, day).toHaveLength(1);
    expect(roughTokens(parts[0]?.text ?? ""), day).toBeLessThan(3000);
  }
});
