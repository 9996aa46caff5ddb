import { cpSync } from "node:fs";
import type { ReadViews } from "../src/views/not-pushed.ts";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UsageView } from "../src/views/usage-sum.ts";
import type { Daybook } from "../src/answers/daybook.ts";
import { exportedLogs } from "./conformance/exported-logs.ts";
import { open, scratch, syncBook, type Roots } from "./store/fixture.ts";
import { sourceOfCorpus } from "./truth.ts";
import { WINDOW_TRUTH, WINDOWS, type Tokens, type WindowSession, type WindowTurn } from "./windows.ts";

/** A turn as the truth tells it, without the window, which no answer names. */
type Told = Omit<WindowTurn, "window" | "answer"> & { answers: (string | null)[] };

function toldOf(told: WindowTurn): Told {
  const { window: _window, answer, ...turn } = told;
  return { ...turn, answers: answer === undefined ? [] : [answer] };
}

function tokensIn(usage: UsageView): Tokens {
  return [usage.input_tokens, usage.cached_input_tokens, usage.cache_write_tokens, usage.output_tokens];
}

function minus(all: Tokens, own: Tokens): Tokens {
  return all.map((n, i) => n - (own[i] ?? 0)) as Tokens;
}

/** What is answered about the turns of a session, by its id. */
async function answeredBy(daybook: Daybook): Promise<Record<string, Told[]>> {
  const told: Record<string, Told[]> = {};
  const [calls, decisions] = [await daybook.tools(), await daybook.decisions()];
  for (const turn of (await daybook.turns()) as ReadViews["turn"][]) {
    const isOwn = (one: { session_id: string; turn_ref: string | null }): boolean =>
      one.session_id === turn.session_id && one.turn_ref === turn.turn_ref;
    (told[turn.session_id] ??= []).push({
      text: turn.trigger.text,
      kind: turn.trigger.kind,
      outcome: turn.outcome,
      taken_back: turn.taken_back,
      final: turn.final_text ?? "",
      tokens: tokensIn(turn.usage),
      tokens_of_children: minus(tokensIn(turn.usage_with_children), tokensIn(turn.usage)),
      calls: Object.fromEntries(calls.filter(isOwn).map(({ call_id, status }) => [call_id, status])),
      answers: decisions.filter(isOwn).map(({ choice }) => choice),
    });
  }
  return told;
}

function truthOf(label: string): Record<string, Told[]> {
  return Object.fromEntries((WINDOW_TRUTH[label] ?? []).map(({ session, turns }) => [session, turns.map(toldOf)]));
}

function rootsOf(label: string): Roots {
  return { [sourceOfCorpus(label)]: [join(WINDOWS, label)] };
}

describe.each(Object.keys(WINDOW_TRUTH))("a session open in two windows: %s", (label) => {
  it("has the prompts, owners, outcomes, last answers, tokens and decisions of each window", async () => {
    expect(await answeredBy(open(rootsOf(label)))).toEqual(truthOf(label));
  });

  it("has the same in the index", async () => {
    const book = scratch("book");
    const at = join(scratch("windows"), label);
    cpSync(join(WINDOWS, label), at, { recursive: true, preserveTimestamps: true });
    const roots = { [sourceOfCorpus(label)]: [at] };
    await syncBook(roots, book);
    expect(await answeredBy(open(roots, book))).toEqual(truthOf(label));
  });

  it("has the same in a log exported from it", async () => {
    const dir = exportedLogs(sourceOfCorpus(label), join(WINDOWS, label));
    const told = await answeredBy(open({ log: [dir] }));
    expect(told).toEqual(truthOf(label));
  });

  it("has the same tokens per turn where only tokens are read, and none besides", async () => {
    const ask = { by: "spent", breakdown: false, order: "asc" } as const;
    const { rows } = await open(rootsOf(label)).usage({ ...ask, group: "turn" });
    const truth = WINDOW_TRUTH[label] ?? [];
    const spent = truth.flatMap(({ session, turns }) => turns.flatMap((turn, i) => spentIn(session, turn, i)));
    const found = rows.flatMap((row) =>
      row.period.endsWith("/unowned") ? [] : [[row.period, tokensIn(row)] as const],
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(spent));
    const { totals } = await open(rootsOf(label)).usage({ ...ask, group: "session" });
    expect(tokensIn(totals)).toEqual(sumOf(truth.flatMap(everythingIn)));
  });

  it("balances in the audit", async () => {
    const audit = await open(rootsOf(label)).audit();
    expect(audit.balanced).toBe(true);
  });

  function spentIn(session: string, { tokens, tokens_of_children: below }: WindowTurn, i: number): [string, Tokens][] {
    const sum = sumOf([tokens, below]);
    const ref = `T${String(i + 1).padStart(4, "0")}`;
    return sum.every((n) => n === 0) ? [] : [[`${sourceOfCorpus(label)}/${session}/${ref}`, sum]];
  }
});

function everythingIn({ turns, unowned }: WindowSession): Tokens[] {
  return [unowned, ...turns.flatMap(({ tokens, tokens_of_children }) => [tokens, tokens_of_children])];
}

function sumOf(list: readonly Tokens[]): Tokens {
  return list.reduce<Tokens>((sum, one) => sum.map((n, i) => n + (one[i] ?? 0)) as Tokens, [0, 0, 0, 0]);
}
