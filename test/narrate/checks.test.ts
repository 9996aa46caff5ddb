import { describe, expect, it } from "vitest";
import type { Chain, GivenChain, GivenWorkItem } from "../../src/views/narrative.ts";
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

function rules(text: string, turn: TurnEvidence, spans: readonly (readonly [number, number])[] = [[4, 8]]): string[] {
  const cited = spans.map(([first, last]) => ({ agent: null, first, last }));
  return successProblems(text, scopeOfSpans(turn, cited), "x").map(({ rule }) => rule);
}

describe("success claims", () => {
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
  ])("need proof: %s", (text, need) => {
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
  ])("do not include: %s", (text) => {
    expect(rules(text, turnWith({ status: "failed", exit_code: 1 }))).toEqual([]);
  });

  /** A turn with one call of a program and its output. */
  const printing = (command: string, text: string, more: Partial<EvidenceCall> = {}): TurnEvidence =>
    turnWith({ command, ...more }, { lines: [{ line: 5, by: "tool", text }] });

  it("are accepted when a successful program printed them itself", () => {
    const [report, output] = [
      "./scripts/deps-report.sh --all",
      "0 outdated; CI on main green in 5 repositories\nexit 0",
    ];
    expect(rules("All is green.", printing(report, output))).toEqual([]);
    expect(rules("It was verified.", printing("python archive.py", "archived, verified 41,220 rows"))).toEqual([]);
    expect(rules("214 names were repaired.", printing("python fix.py", "214 rows changed"))).toEqual([]);
    expect(rules("Names were repaired.", printing('psql -c "…"', "UPDATE 214\n"))).toEqual([]);
  });

  it.each([
    ["its own argument", "echo all is green", "all is green"],
    ["a text from its inline code", "python -c \"print('green')\"", "green"],
    ["the content of a file", "cat ci.log", "CI green"],
    ["a negation", "./ci.sh", "main is not green"],
    ["a failure as well", "./ci.sh", "unit green, 2 failed"],
    ["a longer word that contains the claim", "./ci.sh", "greenish"],
  ])("are rejected when the program printed %s", (_, command, text) => {
    expect(rules("All is green.", printing(command, text))).toEqual(["claim.unproven.check"]);
  });

  it("are rejected when the program failed, the test was not the last one or nothing changed", () => {
    const failed = printing("./ci.sh", "green", { status: "failed", exit_code: 1 });
    expect(rules("All is green.", failed)).toEqual(["claim.unproven.check"]);
    const earlier = printing("npm test", "12 passed", { check: { kind: "test", result: "ok", isLast: false } });
    expect(rules("They passed.", earlier)).toEqual(["claim.unproven.check"]);
    expect(rules("Names were repaired.", printing("python fix.py", "0 rows changed"))).toEqual(["claim.unproven.done"]);
  });

  it("are accepted when a call within the cited lines proves them", () => {
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

  it("are not proven by a check that failed, has no result or was not the last of its kind", () => {
    for (const check of [
      { kind: "test", result: "ok", isLast: false },
      { kind: "test", result: "failed", isLast: true },
      { kind: "test", result: null, isLast: false },
    ] as const)
      expect(rules("The tests passed.", turnWith({ command: "npm test", check }))).toEqual(["claim.unproven.check"]);
    expect(rules("The tests passed.", turnWith({ ...CHECKED, end_line: null }))).toEqual(["claim.unproven.check"]);
  });

  it("need proof even when another claim in the sentence is negated", () => {
    expect(rules("It was not tested, and the bug was fixed.", turnWith({ status: "failed" }))).toEqual([
      "claim.unproven.done",
    ]);
  });
});

describe("quotes, numbers and names", () => {
  const scope = scopeOfTurns([turnWith({})]);
  const found = (problems: readonly { rule: string }[]): string[] => problems.map(({ rule }) => rule);

  it("quotes must be verbatim", () => {
    expect(quoteProblems("The human asked to “repair the login”.", scope, "x")).toEqual([]);
    expect(quoteProblems('It said "Tests: 12 passed."', scope, "x")).toEqual([]);
    expect(found(quoteProblems("The human said “ship it now”.", scope, "x"))).toEqual(["quote.not_verbatim"]);
    expect(found(quoteProblems("The agent ran `npm run deploy`.", scope, "x"))).toEqual(["quote.not_verbatim"]);
  });

  it("numbers must occur in the evidence or in the set of allowed numbers", () => {
    expect(numberProblems("12 tests ran, and three users complained.", scope, "x")).toEqual([]);
    expect(found(numberProblems("120 tests ran.", scope, "x"))).toEqual(["number.unknown"]);
    expect(found(numberProblems("It took 45%.", scope, "x"))).toEqual(["number.unknown"]);
    expect(found(numberProblems("Seven files changed.", scope, "x"))).toEqual(["number.unknown"]);
    expect(numberProblems("utf8 in S0001/T0001 and v2 of src/2.ts", scope, "x")).toEqual([]);
    expect(numberProblems("7 of them.", scope, "x", new Set(["7"]))).toEqual([]);
  });

  it.each([
    ["rounded from a measurement", "db: 31.8s", "It takes 32 seconds.", "It takes 31 seconds."],
    ["converted to another unit", "real 11m32.114s", "It takes 11.5 minutes.", "It takes 11.9 minutes."],
    ["approximate", "it was 1 h 50 min", "It took almost two hours.", "It took four hours."],
    ["written with a decimal comma", "7.1 s", "Es dauert 7,1 s.", "Es dauert 7,2 s."],
    ["the length of a list", "Options:\n- A\n- B\n- C", "Three options.", "Four options."],
    ["the number of names in an enumeration", "keys: file, line, ts, level, msg", "The five keys.", "The six keys."],
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
      chainWith({ outcomes: [{ category: "validation_outcome", summary: "40 tests passed.", citations }] }),
      turn,
    ).map(({ rule }) => rule);

  it("proves claims that cite its lines, and no others", () => {
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

/** Case 98 of the worked cases. */
describe("evidence chain", () => {
  const turn = turnWith(CHECKED);
  const found = (more: Partial<GivenChain>): string[] => chainProblems(chainWith(more), turn).map(({ rule }) => rule);
  const outcome = (citations: string[], summary = "The agent ran tests."): Partial<GivenChain> => ({
    outcomes: [{ category: "code_outcome", summary, citations }],
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
    const bad = { category: "code_outcome" as const, summary: "It was deployed.", citations: ["4-5"] };
    expect(withoutInvalid(chainWith({ outcomes: [...good, bad] }), turn)?.outcomes).toEqual(good);
    expect(withoutInvalid(chainWith({ outcomes: [bad] }), turn)).toBeNull();
  });

  it("gets its proof from the records, not from its text", () => {
    expect(withProofs(chainWith(), turn).outcomes[0]?.proof).toBe("check_passed");
    expect(withProofs(chainWith(outcome(["8-8"], "The agent answered.")), turn).outcomes[0]?.proof).toBe("said_only");
  });
});
