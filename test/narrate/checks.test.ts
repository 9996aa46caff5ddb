import { describe, expect, it } from "vitest";
import type { Chain, GivenChain, GivenWorkItem } from "../../src/views/narrative.ts";
import { chainProblems, withProofs, withoutInvalid } from "../../src/narrate/checks/chain.ts";
import { endProblems, itemEndProblems } from "../../src/narrate/checks/ends.ts";
import { nameProblems } from "../../src/narrate/checks/names.ts";
import { numberProblems } from "../../src/narrate/checks/numbers.ts";
import { quoteProblems } from "../../src/narrate/checks/quotes.ts";
import { scopeOfSpans, scopeOfTurns } from "../../src/narrate/checks/scope.ts";
import { shownBy } from "../../src/narrate/checks/claims.ts";
import { CLAIMS, type ClaimKind } from "../../src/views/day-review.ts";
import { withoutOverruledChecks } from "../../src/narrate/session-evidence.ts";
import type { AgentEvidence, EvidenceCall, TurnEvidence } from "../../src/narrate/turn-evidence.ts";

const BASE: EvidenceCall = {
  line: 4,
  end_line: 5,
  name: "Bash",
  command: "",
  status: "ok",
  exit_code: 0,
  changes: [],
  check: null,
};

/** A turn on lines 2 to 8: trigger on 2, a call on 4 with its result on 5, the answer on 8. */
function turnWith(call: Partial<EvidenceCall>, more: Partial<TurnEvidence> = {}): TurnEvidence {
  return {
    project_key: "p",
    session_ref: "S0001",
    turn_ref: "T0001",
    start: 2,
    end: 8,
    trigger_lines: [2],
    lines: [
      { line: 2, by: "human", text: "Please repair the login in src/login.ts, 3 users complained." },
      { line: 4, by: "tool", text: "npm test" },
      { line: 5, by: "tool", text: "Tests: 12 passed\nexit 0" },
      { line: 8, by: "agent", text: "All done, everything passed and is deployed." },
    ],
    compact: [],
    calls: [{ ...BASE, ...call }],
    commits: [],
    agents: [],
    view: null,
    ...more,
  };
}

const CHECKED: Partial<EvidenceCall> = { command: "npm test", check: { kind: "test", result: "ok", isLast: true } };

function shown(
  claim: ClaimKind,
  turn: TurnEvidence,
  spans: readonly (readonly [number, number])[] = [[4, 8]],
): unknown {
  const cited = spans.map(([first, last]) => ({ agent: null, first, last }));
  return shownBy(claim, scopeOfSpans(turn, cited), "12 passed in 3 s");
}

describe("claims", () => {
  const failed = turnWith({ status: "failed", exit_code: 1 });
  const commit = { hash: "1a2b3c4", branch: null, subject: "repair login", amended: false, line: 4 };
  const changed = (operation: string): TurnEvidence => turnWith({ changes: [{ path: "src/login.ts", operation }] });

  it.each(CLAIMS)("show nothing where nothing is recorded: %s", (claim) => {
    expect(shown(claim, failed)).toBeNull();
  });

  it("are shown by a record of their own kind, in our words, within the cited lines", () => {
    expect(shown("ran", turnWith(CHECKED))).toEqual({ proof: "check_passed", shown: "passed: npm test" });
    expect(shown("ran", turnWith({ command: "./migrate.sh" }))).toEqual({
      proof: "call_ok",
      shown: "ended well: ./migrate.sh",
    });
    expect(shown("changed", changed("modified"))).toEqual({ proof: "files_changed", shown: "modified src/login.ts" });
    expect(shown("created", changed("created"))).toMatchObject({ shown: "created src/login.ts" });
    expect(shown("deleted", changed("deleted"))).toMatchObject({ shown: "deleted src/login.ts" });
    expect(shown("committed", turnWith({}, { commits: [commit] }))).toEqual({
      proof: "commit",
      shown: "commit 1a2b3c4 “repair login”",
    });
    expect(shown("merged", turnWith({ command: "git merge --no-ff fix" }))).toMatchObject({ proof: "commit" });
    expect(shown("pushed", turnWith({ command: "git push -q" }))).toMatchObject({ shown: "pushed: git push -q" });
    expect(shown("released", turnWith({ command: "npm run deploy" }))).toMatchObject({
      shown: "released by: npm run deploy",
    });
    expect(shown("decided", turnWith({ name: "AskUserQuestion" }))).toMatchObject({ proof: "call_ok" });
    expect(shown("measured", turnWith({}))).toEqual({ proof: "call_ok", shown: "printed: Tests: 12 passed" });
  });

  it("do not lend what they show to another kind, nor to other lines", () => {
    expect(shown("created", changed("modified"))).toBeNull();
    expect(shown("committed", turnWith({ command: "git push" }))).toBeNull();
    expect(shown("pushed", turnWith({ command: "git commit -qm x" }, { commits: [commit] }))).toBeNull();
    expect(shown("released", turnWith({ command: "git push" }))).toBeNull();
    expect(shown("pushed", turnWith({ command: "git push || true" }))).toBeNull();
    expect(shown("ran", turnWith(CHECKED), [[8, 8]])).toBeNull();
    expect(shown("measured", turnWith({}), [[8, 8]])).toBeNull();
    expect(shown("measured", turnWith({ command: "echo 12 passed" }))).toBeNull();
  });

  it("of a run say how the last check of its kind ended", () => {
    const check = (result: "failed" | "ok" | null, isLast: boolean): unknown =>
      shown("ran", turnWith({ command: "npm test", check: { kind: "test", result, isLast } }));
    expect(check("failed", true)).toEqual({ proof: "check_failed", shown: "failed: npm test" });
    expect(check("ok", false)).toBeNull();
    expect(check(null, false)).toBeNull();
    expect(shown("ran", turnWith({ ...CHECKED, end_line: null }))).toBeNull();
  });
});

describe("quotes, numbers and names", () => {
  const scope = scopeOfTurns([turnWith({})]);
  const found = (problems: readonly { rule: string }[]): string[] => problems.map(({ rule }) => rule);

  it("quotes must be verbatim", () => {
    expect(quoteProblems("The human asked to “repair the login”.", scope, "x")).toEqual([]);
    expect(quoteProblems('It said "Tests: 12 passed".', scope, "x")).toEqual([]);
    // To the last mark, whatever marks surround it.
    for (const said of [
      '"Tests: 12 passed."',
      "»Tests: 12 passt«",
      "「Tests: 13 passed」",
      "‘all is well’",
      "'ship it'",
      "‹ship it›",
      "《ship it》",
    ])
      expect(found(quoteProblems(`It said ${said}`, scope, "x")), said).toEqual(["quote.not_verbatim"]);
    expect(quoteProblems("It's the agent's own, isn't it?", scope, "x")).toEqual([]);
    expect(found(quoteProblems("The human said “ship it now”.", scope, "x"))).toEqual(["quote.not_verbatim"]);
    expect(found(quoteProblems("The agent ran `npm run deploy`.", scope, "x"))).toEqual(["quote.not_verbatim"]);
  });

  it("numbers must occur in the evidence or in the set of allowed numbers", () => {
    expect(numberProblems("12 tests ran, and three users complained.", scope, "x")).toEqual([]);
    expect(found(numberProblems("120 tests ran.", scope, "x"))).toEqual(["number.unknown"]);
    expect(found(numberProblems("It took 45%.", scope, "x"))).toEqual(["number.unknown"]);
    for (const text of ["٩٠٤١ اختبارات", "९०४१ परीक्षण", "９０４１個のテスト"])
      expect(found(numberProblems(text, scope, "x")), text).toEqual(["number.unknown"]);
    expect(numberProblems("１２個のテスト", scope, "x")).toEqual([]);
    expect(numberProblems("utf8 in S0001/T0001 and v2 of src/2.ts", scope, "x")).toEqual([]);
    expect(numberProblems("7 of them.", scope, "x", new Set(["7"]))).toEqual([]);
  });

  it.each([
    ["rounded from a measurement", "db: 31.8s", "It takes 32 seconds.", "It takes 31 seconds."],
    ["converted to another unit", "real 11m32.114s", "It takes 11.5 minutes.", "It takes 11.9 minutes."],
    ["written with a decimal comma", "7.1 s", "Es dauert 7,1 s.", "Es dauert 7,2 s."],
    ["the length of a list", "Options:\n- A\n- B\n- C", "3 options.", "4 options."],
    ["the number of names in an enumeration", "keys: file, line, ts, level, msg", "The 5 keys.", "The 6 keys."],
    ["an exact version", "quarry 7.3 is out", "7.3 is out.", "7 is out."],
  ])("numbers may be %s", (_, recorded, right, wrong) => {
    const evidence = scopeOfTurns([turnWith({}, { lines: [{ line: 8, by: "agent", text: recorded }] })]);
    expect(numberProblems(right, evidence, "x")).toEqual([]);
    expect(found(numberProblems(wrong, evidence, "x"))).toEqual(["number.unknown"]);
  });

  it("paths, URLs and commit hashes must occur in the evidence", () => {
    expect(nameProblems("It changed src/login.ts.", scope, "x")).toEqual([]);
    expect(found(nameProblems("It changed src/payment.ts.", scope, "x"))).toEqual(["name.unknown"]);
    expect(found(nameProblems("See https://evil.example/x.", scope, "x"))).toEqual(["name.unknown"]);
    expect(found(nameProblems("Commit 1a2b3c4 has it.", scope, "x"))).toEqual(["name.unknown"]);
    expect(nameProblems("this and/or that, 1/3", scope, "x")).toEqual([]);
  });
});

describe("evidence of a sub-agent", () => {
  const agent: AgentEvidence = {
    ref: "A1",
    role: "tester",
    file: "subagents/a.jsonl",
    start: 1,
    end: 9,
    compact: [],
    commits: [],
    lines: [
      { line: 1, by: "other", text: "Run the tests." },
      { line: 5, by: "tool", text: "Tests: 40 passed" },
    ],
    calls: [{ ...BASE, ...CHECKED }],
  };
  const turn = turnWith({ status: "failed", exit_code: 1 }, { agents: [agent] });
  const claimed = (...citations: string[]): string[] =>
    chainProblems(
      chainWith({
        outcomes: [{ category: "validation_outcome", claim: "ran", summary: "40 tests passed.", citations }],
      }),
      turn,
    ).map(({ rule }) => rule);

  it("proves claims that cite its lines, and no others", () => {
    expect(claimed("A1:4-5")).toEqual([]);
    expect(claimed("4-5")).toEqual(["number.unknown", "claim.not_shown.ran"]);
    expect(claimed("A1:1-1")).toEqual(["number.unknown", "claim.not_shown.ran", "outcome.trigger_only"]);
    expect(claimed("A1:7-8")).toEqual(["citation.no_record"]);
    expect(claimed("A1:4-90")).toEqual(["citation.outside_turn"]);
    expect(claimed("A2:4-5")).toEqual(["citation.no_agent"]);
    expect(shownBy("ran", scopeOfTurns([turn]), "")).toMatchObject({ proof: "check_passed" });
  });

  it("is overruled by a check of the same kind that the session ran itself", () => {
    const own: EvidenceCall = { ...BASE, ...CHECKED, check: { kind: "test", result: "failed", isLast: true } };
    const [call] = withoutOverruledChecks(agent, [own]).calls;
    expect(call?.check?.isLast).toBe(false);
    expect(
      withoutOverruledChecks(agent, [{ ...own, check: { kind: "lint", result: "failed", isLast: true } }]),
    ).toEqual(agent);
  });
});

function chainWith(more: Partial<GivenChain> = {}): GivenChain {
  return {
    turn_ref: "T0001",
    trigger: { type: "explicit_user_message", summary: "The human asked.", quoted_messages: [], citations: ["2-2"] },
    agent_reactions: [],
    outcomes: [{ category: "code_outcome", claim: "ran", summary: "The agent ran tests.", citations: ["4-5"] }],
    observed_checks: [],
    terminal_state: { type: "material_result", summary: "The agent answered.", citations: ["8-8"] },
    materiality: "material",
    ...more,
  };
}

/** Case 98 of the worked cases. */
describe("evidence chain", () => {
  const turn = turnWith(CHECKED);
  const found = (more: Partial<GivenChain>): string[] => chainProblems(chainWith(more), turn).map(({ rule }) => rule);
  const outcome = (citations: string[], summary = "The agent ran tests."): Partial<GivenChain> => ({
    outcomes: [{ category: "code_outcome", claim: "said", summary, citations }],
  });

  it("is accepted when it is valid", () => expect(found({})).toEqual([]));
  it("must cite lines inside its turn", () => expect(found(outcome(["9-10"]))).toEqual(["citation.outside_turn"]));
  it("must cite ranges of lines", () => expect(found(outcome(["2"]))).toEqual(["citation.form"]));
  it("must cite something for every outcome", () => expect(found(outcome([]))).toEqual(["citation.missing"]));
  it("must cite lines that contain a record", () => expect(found(outcome(["6-7"]))).toEqual(["citation.no_record"]));
  it("must not base an outcome on the trigger alone", () =>
    expect(found(outcome(["2-2"]))).toEqual(["outcome.trigger_only"]));
  it("must not have a blank summary", () => expect(found(outcome(["4-5"], " "))).toEqual(["text.blank"]));
  it("must have an outcome when its terminal state is a result", () =>
    expect(found({ outcomes: [] })).toEqual(["terminal.no_outcome"]));
  it("must quote the human from the lines of the human", () => {
    const trigger = chainWith().trigger;
    const quote = (text: string, line: string): Partial<GivenChain> => ({
      trigger: { ...trigger, quoted_messages: [{ text, citations: [line] }] },
    });
    expect(found(quote("Please repair the login", "2-2"))).toEqual([]);
    expect(found(quote("All done", "8-8"))).toEqual(["quote.not_verbatim"]);
  });

  it("must end as the records say", () => {
    const view = { outcome: "aborted", files: [], tools: {}, usage: {}, usage_with_children: {}, children: [] };
    const aborted = { ...turn, view: view as unknown as TurnEvidence["view"] };
    const rulesOf = (type: GivenChain["terminal_state"]["type"]): string[] =>
      endProblems(chainWith({ terminal_state: { type, summary: "x", citations: ["8-8"] } }), aborted).map(
        ({ rule }) => rule,
      );
    expect(rulesOf("material_result")).toEqual(["terminal.contradicts_outcome"]);
    expect(rulesOf("interrupted")).toEqual([]);
  });

  it("is covered by a work item that must end as the last turn did", () => {
    const ended = (type: GivenChain["terminal_state"]["type"]): Chain =>
      withProofs(chainWith({ terminal_state: { type, summary: "x", citations: ["8-8"] } }), turn);
    const chains = new Map([
      ["S0001/T0001", ended("material_result")],
      ["S0001/T0002", ended("interrupted")],
    ]);
    const item = (type: GivenChain["terminal_state"]["type"], ref: string): GivenWorkItem => ({
      kind: "material_work_item",
      title: "t",
      covered_turns: [...chains.keys()],
      outcomes: [],
      limits: [],
      terminal_states: [{ type, summary: "x", evidence_refs: [ref] }],
      confidence: "high",
    });
    const itemRules = (type: GivenChain["terminal_state"]["type"], ref: string): string[] =>
      itemEndProblems(item(type, ref), chains).map(({ rule }) => rule);
    expect(itemRules("interrupted", "S0001/T0002")).toEqual([]);
    expect(itemRules("material_result", "S0001/T0001")).toEqual(["item.end_untold"]);
    expect(itemRules("material_result", "S0001/T0002")).toEqual(["item.end_untold", "item.end_not_in_evidence"]);
  });

  it("loses invalid outcomes, and is dropped when none is left", () => {
    const good = chainWith().outcomes;
    const bad = {
      category: "code_outcome",
      claim: "released",
      summary: "It was deployed.",
      citations: ["4-5"],
    } as const;
    expect(withoutInvalid(chainWith({ outcomes: [...good, { ...bad, citations: ["4-5"] }] }), turn)?.outcomes).toEqual(
      good,
    );
    expect(withoutInvalid(chainWith({ outcomes: [{ ...bad, citations: ["4-5"] }] }), turn)).toBeNull();
  });

  it("gets its proof from the records, not from its text", () => {
    expect(withProofs(chainWith(), turn).outcomes[0]?.proof).toBe("check_passed");
    expect(withProofs(chainWith(outcome(["8-8"], "The agent answered.")), turn).outcomes[0]?.proof).toBe("said_only");
  });
});
