import { describe, expect, it } from "vitest";
import type { Chain, GivenChain, GivenWorkItem } from "../../src/answers/narrative.ts";
import { chainProblems, withProofs, withoutInvalid } from "../../src/narrate/checks/chain.ts";
import { endProblems, itemEndProblems } from "../../src/narrate/checks/ends.ts";
import { nameProblems } from "../../src/narrate/checks/names.ts";
import { numberProblems } from "../../src/narrate/checks/numbers.ts";
import { quoteProblems } from "../../src/narrate/checks/quotes.ts";
import { scopeOfSpans, scopeOfTurns } from "../../src/narrate/checks/scope.ts";
import { successProblems } from "../../src/narrate/checks/success-words.ts";
import { withoutOverruledChecks } from "../../src/narrate/session-evidence.ts";
import type { AgentEvidence, EvidenceCall, TurnEvidence } from "../../src/narrate/turn-evidence.ts";

const BASE: EvidenceCall = {
  line: 4,
  end_line: 5,
  name: "Bash",
  command: "",
  status: "ok",
  exit_code: 0,
  files: [],
  check: null,
};

/** A turn on lines 2 to 8: asked on 2, a call on 4 that ended on 5, the answer on 8. Written by hand: each test needs another call. */
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

function rules(text: string, turn: TurnEvidence, spans: readonly (readonly [number, number])[] = [[4, 8]]): string[] {
  const cited = spans.map(([first, last]) => ({ agent: null, first, last }));
  return successProblems(text, scopeOfSpans(turn, cited), "x").map(({ rule }) => rule);
}

describe("words of success", () => {
  it.each([
    ["The tests passed.", "check"],
    ["The build is green.", "check"],
    ["It was verified.", "check"],
    ["The login works again.", "check"],
    ["The branch was merged.", "commit"],
    ["It was deployed.", "release"],
    ["The login was fixed.", "done"],
    ["The migration is completed.", "done"],
    ["All done.", "done"],
    ["No issues found.", "check"],
    ["It ran successfully.", "ok"],
    ["Die Tests sind bestanden.", "check"],
    ["Der Fehler ist behoben.", "done"],
    ["Le bogue est corrigé.", "done"],
    ["Los tests pasaron.", "check"],
    ["Il problema è risolto.", "done"],
    ["O erro foi corrigido.", "done"],
    ["测试通过了。", "check"],
    ["バグを修正しました。", "done"],
    ["버그를 수정했습니다.", "done"],
    ["Ошибка исправлена.", "done"],
  ])("%s needs a record", (text, need) => {
    expect(rules(text, turnWith({ status: "failed", exit_code: 1 }))).toEqual([`claim.unproven.${need}`]);
  });

  it.each([
    "The login is not fixed yet.",
    "It is to be verified.",
    "The agent tried to have it deployed.",
    "The human wants it merged.",
    "Nothing was deployed.",
    "Der Fehler ist noch nicht behoben.",
    "Le bogue n'est pas corrigé.",
    "El error no está corregido.",
    "Ошибка не исправлена.",
    "测试没有通过了。",
    "バグを修正しませんでした。",
    "The agent works on the login.",
  ])("%s claims nothing", (text) => {
    expect(rules(text, turnWith({ status: "failed", exit_code: 1 }))).toEqual([]);
  });

  /** A call of a program, and what it printed. */
  const printing = (command: string, text: string, more: Partial<EvidenceCall> = {}): TurnEvidence =>
    turnWith({ command, ...more }, { lines: [{ line: 5, by: "tool", text }] });

  it("are taken where a program that ended well says them itself", () => {
    const [report, said] = ["./scripts/deps-report.sh --all", "0 outdated; CI on main green in 5 repositories\nexit 0"];
    expect(rules("All is green.", printing(report, said))).toEqual([]);
    expect(rules("It was verified.", printing("python archive.py", "archived, verified 41,220 rows"))).toEqual([]);
    expect(rules("214 names were repaired.", printing("python fix.py", "214 rows changed"))).toEqual([]);
    expect(rules("Names were repaired.", printing('psql -c "…"', "UPDATE 214\n"))).toEqual([]);
  });

  it.each([
    ["what it was given to print", "echo all is green", "all is green"],
    ["what it was given as code", "python -c \"print('green')\"", "green"],
    ["what stands in a file", "cat ci.log", "CI green"],
    ["a denial", "./ci.sh", "main is not green"],
    ["something that went wrong as well", "./ci.sh", "unit green, 2 failed"],
    ["another word", "./ci.sh", "greenish"],
  ])("are not taken where it says %s", (_, command, text) => {
    expect(rules("All is green.", printing(command, text))).toEqual(["claim.unproven.check"]);
  });

  it("are not taken of a program that failed, of an earlier test, or of nothing that changed", () => {
    const failed = printing("./ci.sh", "green", { status: "failed", exit_code: 1 });
    expect(rules("All is green.", failed)).toEqual(["claim.unproven.check"]);
    const earlier = printing("npm test", "12 passed", { check: { kind: "test", result: "ok", isLast: false } });
    expect(rules("They passed.", earlier)).toEqual(["claim.unproven.check"]);
    expect(rules("Names were repaired.", printing("python fix.py", "0 rows changed"))).toEqual(["claim.unproven.done"]);
  });

  it("are taken where a call shows it, and only within the cited lines", () => {
    const turn = turnWith(CHECKED);
    expect(rules("The tests passed.", turn)).toEqual([]);
    expect(rules("The login was fixed.", turn)).toEqual([]);
    expect(rules("The tests passed.", turn, [[8, 8]])).toEqual(["claim.unproven.check"]);
    expect(rules("The login was fixed.", turnWith({ files: ["src/login.ts"] }))).toEqual([]);
    expect(rules("It was deployed.", turnWith({ command: "npm run deploy" }))).toEqual([]);
    expect(rules("It was deployed.", turnWith({ command: "npm run deploy", status: "failed" }))).not.toEqual([]);
    const commit = { hash: "1a2b3c4", branch: null, subject: null, amended: false, line: 4 };
    expect(rules("It was committed.", turnWith({}, { commits: [commit] }))).toEqual([]);
  });

  it("are not shown by a check that was not the last of its kind, had no result, or failed", () => {
    for (const check of [
      { kind: "test", result: "ok", isLast: false },
      { kind: "test", result: "failed", isLast: true },
      { kind: "test", result: null, isLast: false },
    ] as const)
      expect(rules("The tests passed.", turnWith({ command: "npm test", check }))).toEqual(["claim.unproven.check"]);
    expect(rules("The tests passed.", turnWith({ ...CHECKED, end_line: null }))).toEqual(["claim.unproven.check"]);
  });

  it("a denial of one thing does not cover the next", () => {
    expect(rules("It was not tested, and the bug was fixed.", turnWith({ status: "failed" }))).toEqual([
      "claim.unproven.done",
    ]);
  });
});

describe("quotes, numbers and names", () => {
  const scope = scopeOfTurns([turnWith({})]);
  const found = (problems: readonly { rule: string }[]): string[] => problems.map(({ rule }) => rule);

  it("quotes are verbatim", () => {
    expect(quoteProblems("The human asked to “repair the login”.", scope, "x")).toEqual([]);
    expect(quoteProblems('It said "Tests: 12 passed."', scope, "x")).toEqual([]);
    expect(found(quoteProblems("The human said “ship it now”.", scope, "x"))).toEqual(["quote.not_verbatim"]);
    expect(found(quoteProblems("The agent ran `npm run deploy`.", scope, "x"))).toEqual(["quote.not_verbatim"]);
  });

  it("numbers stand in the cited lines or are Daybook's own", () => {
    expect(numberProblems("12 tests ran, and three users complained.", scope, "x")).toEqual([]);
    expect(found(numberProblems("120 tests ran.", scope, "x"))).toEqual(["number.unknown"]);
    expect(found(numberProblems("It took 45%.", scope, "x"))).toEqual(["number.unknown"]);
    expect(found(numberProblems("Seven files changed.", scope, "x"))).toEqual(["number.unknown"]);
    expect(numberProblems("utf8 in S0001/T0001 and v2 of src/2.ts", scope, "x")).toEqual([]);
    expect(numberProblems("7 of them.", scope, "x", new Set(["7"]))).toEqual([]);
  });

  it.each([
    ["what was measured, rounded", "db: 31.8s", "It takes 32 seconds.", "It takes 31 seconds."],
    ["a time in other units", "real 11m32.114s", "It takes 11.5 minutes.", "It takes 11.9 minutes."],
    ["almost two hours", "it was 1 h 50 min", "It took almost two hours.", "It took four hours."],
    ["a comma for a point", "7.1 s", "Es dauert 7,1 s.", "Es dauert 7,2 s."],
    ["as many as a list has", "Options:\n- A\n- B\n- C", "Three options.", "Four options."],
    ["as many as are named", "keys: file, line, ts, level, msg", "The five keys.", "The six keys."],
    ["a version, as it is", "quarry 7.3 is out", "7.3 is out.", "7 is out."],
  ])("numbers may be %s", (_, said, right, wrong) => {
    const of = scopeOfTurns([turnWith({}, { lines: [{ line: 8, by: "agent", text: said }] })]);
    expect(numberProblems(right, of, "x")).toEqual([]);
    expect(found(numberProblems(wrong, of, "x"))).toEqual(["number.unknown"]);
  });

  it("paths, addresses and commits stand in the cited lines", () => {
    expect(nameProblems("It changed src/login.ts.", scope, "x")).toEqual([]);
    expect(found(nameProblems("It changed src/payment.ts.", scope, "x"))).toEqual(["name.unknown"]);
    expect(found(nameProblems("See https://evil.example/x.", scope, "x"))).toEqual(["name.unknown"]);
    expect(found(nameProblems("Commit 1a2b3c4 has it.", scope, "x"))).toEqual(["name.unknown"]);
    expect(nameProblems("this and/or that, 1/3", scope, "x")).toEqual([]);
  });
});

describe("what a sub-agent did", () => {
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
      chainWith({ outcomes: [{ category: "validation_outcome", summary: "40 tests passed.", citations }] }),
      turn,
    ).map(({ rule }) => rule);

  it("proves what is said with its lines, and nothing without them", () => {
    expect(claimed("A1:4-5")).toEqual([]);
    expect(claimed("4-5")).toEqual(["claim.unproven.check", "number.unknown"]);
    expect(claimed("A1:1-1")).toEqual(["claim.unproven.check", "number.unknown", "outcome.trigger_only"]);
    expect(claimed("A1:7-8")).toEqual(["citation.no_record"]);
    expect(claimed("A1:4-90")).toEqual(["citation.outside_turn"]);
    expect(claimed("A2:4-5")).toEqual(["citation.no_agent"]);
    expect(successProblems("The tests passed.", scopeOfTurns([turn]), "x")).toEqual([]);
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
    outcomes: [{ category: "code_outcome", summary: "The agent ran tests.", citations: ["4-5"] }],
    observed_checks: [],
    terminal_state: { type: "material_result", summary: "The agent answered.", citations: ["8-8"] },
    materiality: "material",
    ...more,
  };
}

/** Worked case 98. */
describe("a chain", () => {
  const turn = turnWith(CHECKED);
  const found = (more: Partial<GivenChain>): string[] => chainProblems(chainWith(more), turn).map(({ rule }) => rule);
  const outcome = (citations: string[], summary = "The agent ran tests."): Partial<GivenChain> => ({
    outcomes: [{ category: "code_outcome", summary, citations }],
  });

  it("holds as it is", () => expect(found({})).toEqual([]));
  it("cites lines inside its turn", () => expect(found(outcome(["9-10"]))).toEqual(["citation.outside_turn"]));
  it("cites spans", () => expect(found(outcome(["2"]))).toEqual(["citation.form"]));
  it("cites something", () => expect(found(outcome([]))).toEqual(["citation.missing"]));
  it("cites what is recorded", () => expect(found(outcome(["6-7"]))).toEqual(["citation.no_record"]));
  it("has outcomes that do not rest on the request", () =>
    expect(found(outcome(["2-2"]))).toEqual(["outcome.trigger_only"]));
  it("says something", () => expect(found(outcome(["4-5"], " "))).toEqual(["text.blank"]));
  it("has an outcome where it has a result", () => expect(found({ outcomes: [] })).toEqual(["terminal.no_outcome"]));
  it("quotes the human on the human's lines", () => {
    const trigger = chainWith().trigger;
    const quote = (text: string, line: string): Partial<GivenChain> => ({
      trigger: { ...trigger, quoted_messages: [{ text, citations: [line] }] },
    });
    expect(found(quote("Please repair the login", "2-2"))).toEqual([]);
    expect(found(quote("All done", "8-8"))).toEqual(["quote.not_verbatim"]);
  });

  it("ends as the records say", () => {
    const view = { outcome: "aborted", files: [], tools: {}, usage: {}, usage_with_children: {}, children: [] };
    const aborted = { ...turn, view: view as unknown as TurnEvidence["view"] };
    const rulesOf = (type: GivenChain["terminal_state"]["type"]): string[] =>
      endProblems(chainWith({ terminal_state: { type, summary: "x", citations: ["8-8"] } }), aborted).map(
        ({ rule }) => rule,
      );
    expect(rulesOf("material_result")).toEqual(["terminal.contradicts_outcome"]);
    expect(rulesOf("interrupted")).toEqual([]);
  });

  it("is told of in work that ends as its last turn did", () => {
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
    const of = (type: GivenChain["terminal_state"]["type"], ref: string): string[] =>
      itemEndProblems(item(type, ref), chains).map(({ rule }) => rule);
    expect(of("interrupted", "S0001/T0002")).toEqual([]);
    expect(of("material_result", "S0001/T0001")).toEqual(["item.end_untold"]);
    expect(of("material_result", "S0001/T0002")).toEqual(["item.end_untold", "item.end_not_in_evidence"]);
  });

  it("is kept without what is wrong in it, where the rest can stand", () => {
    const good = chainWith().outcomes;
    const bad = { category: "code_outcome" as const, summary: "It was deployed.", citations: ["4-5"] };
    expect(withoutInvalid(chainWith({ outcomes: [...good, bad] }), turn)?.outcomes).toEqual(good);
    expect(withoutInvalid(chainWith({ outcomes: [bad] }), turn)).toBeNull();
  });

  it("has the proof that the records give, whatever is said", () => {
    expect(withProofs(chainWith(), turn).outcomes[0]?.proof).toBe("check_passed");
    expect(withProofs(chainWith(outcome(["8-8"], "The agent answered.")), turn).outcomes[0]?.proof).toBe("said_only");
  });
});
