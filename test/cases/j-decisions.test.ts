import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DecisionView } from "../../src/views/decision-view.ts";
import { A, at, codex, E, EA, event, folder, M, only, open, R, TC, type Lines } from "./build.ts";

/** J. Codex decision briefs: questions to the human in the text of a message, with lettered options. */

const ask = "please ship";

async function decisions(...lines: Lines): Promise<DecisionView[]> {
  return codex(M("s1"), TC(), E(ask), ...lines).decisions();
}

async function decision(...lines: Lines): Promise<DecisionView> {
  return only(await decisions(...lines));
}

const THREE = "D1 — Test\nA) Fix now (recommended)\nB) Investigate\nC) Ack and ship";

/** The one decision of a brief with options A, B and C and this reply. */
async function replied(reply: string, brief = THREE): Promise<DecisionView> {
  return decision(EA(brief), E(reply));
}

describe("decision briefs", () => {
  it("107 have id, title, options, recommendation and answer if they have a marker", async () => {
    const brief = `D1 — Test\nELI10 <gstack-qid:ship-test-failure-triage> why\n${THREE.split("\n").slice(1).join("\n")}`;
    const found = await replied("A", brief);
    expect(found).toMatchObject({
      tier: "marker",
      question_id: "ship-test-failure-triage",
      title: "Test",
      choice: "Fix now",
      recommended: "Fix now",
      answered: true,
      followed_recommendation: true,
      asked_line: 4,
      answered_line: 5,
      source: "codex",
      session_id: "s1",
      turn_ref: "T0001",
      project: "app",
    });
    expect(found.options).toEqual([
      { letter: "A", label: "Fix now", recommended: true },
      { letter: "B", label: "Investigate", recommended: false },
      { letter: "C", label: "Ack and ship", recommended: false },
    ]);
  });

  it("107 need no prompt before them", async () => {
    const found = only(await codex(M("s1"), EA(THREE), E("A")).decisions());
    expect(found).toMatchObject({ choice: "Fix now", turn_ref: null });
  });

  it("108 have a hash as id if they have no marker", async () => {
    const found = await replied("A", "D2 — Unmarked brief\nA) Foo (recommended)\nB) Bar");
    expect(found).toMatchObject({ tier: "pattern", question_id: "hook-eb7385c997", choice: "Foo" });
  });

  it("110 get the reply that follows each of them", async () => {
    const brief = "D1 — Q <gstack-qid:q1>\nA) One\nB) Two";
    const found = await decisions(EA(brief), E("A"), EA(brief.replaceAll("1", "2")), E("B"));
    expect(found.map(({ question_id, choice }) => `${question_id} ${choice}`)).toEqual(["q1 One", "q2 Two"]);
  });

  it.each([
    "D1 - T",
    "D1—T",
    "D3.2 — x",
    "D3.0 — x",
    "D3.final — x",
    "D3.revise-2 — x",
    "**D1 — x**",
    "**D1** — x",
    "## D1 — x",
    "   D1 — x",
    "D1 – x",
    "Some words first\nD1 — x",
  ])("112 may have the header %j", async (header) => {
    const found = await replied("B", `${header}\nA) One\nB) Two`);
    expect(found).toMatchObject({ tier: "pattern", title: header.endsWith("T") ? "T" : "x", choice: "Two" });
  });

  it("112 may have CRLF line ends", async () => {
    const found = await replied("B", "D1 — x\r\nA) One (recommended)\r\nB) Two\r\n");
    expect(found).toMatchObject({ title: "x", choice: "Two", recommended: "One" });
  });

  it("113 are neither ranges such as D2-5 nor headers without options", async () => {
    expect(await decisions(EA("D2-5 of these are flaky"), E("A"))).toEqual([]);
    // Options that were picked from are a decision, in prose.
    const picked = await decisions(EA("D2-5 of these are flaky\nA) One\nB) Two"), E("A"));
    expect(picked.map(({ tier, choice }) => [tier, choice])).toEqual([["prose", "One"]]);
    expect(await decisions(EA("D1 — a title\nand only words"), E("A"))).toEqual([]);
  });

  it("115 have the lower-case id of their first well-formed marker", async () => {
    const tail = "\nA) One\nB) Two";
    expect(await replied("A", `D1 — x <gstack-qid:Foo-Bar>${tail}`)).toMatchObject({
      question_id: "foo-bar",
      title: "x",
    });
    for (const bad of ["foo_bar", "a".repeat(65)])
      expect(await replied("A", `D1 — x <gstack-qid:${bad}>${tail}`)).toMatchObject({ tier: "pattern" });
    expect((await replied("A", `D1 — x <gstack-qid:one> <gstack-qid:two>${tail}`)).question_id).toBe("one");
  });

  it.each([
    "A) Foo (Recommended)",
    "A) Foo (recommended)  ",
    "A) Foo (recommended, ~2 min)",
    "**A) Foo (recommended)**",
  ])("116 have the recommendation of the option %j", async (option) => {
    const found = await replied("A", `D1 — x\n${option}\nB) Bar`);
    expect(found).toMatchObject({ recommended: "Foo", choice: "Foo", followed_recommendation: true });
  });

  it("117 have no recommendation if two options are recommended", async () => {
    const found = await replied("A", "D1 — x\nA) Foo (recommended)\nB) Bar (recommended)");
    expect(found).toMatchObject({ recommended: null, followed_recommendation: null });
    expect(found.options?.map((option) => option.label)).toEqual(["Foo", "Bar"]);
  });

  it("118 have the recommendation of a separate line if no option is marked", async () => {
    for (const [line, recommended] of [
      ["Recommendation: Foo the thing because", "Foo the thing"],
      ["**Recommendation:** B because", "Bar"],
      ["Recommendation: neither", null],
    ])
      expect(await replied("B", `D1 — x\n${line}\nA) Foo the thing\nB) Bar`)).toMatchObject({ recommended });
  });

  it("133 count once if written as event and item, and also if written only as item", async () => {
    expect(await decision(EA(THREE), A(THREE), E("A"))).toMatchObject({ choice: "Fix now" });
    expect(await decision(A(THREE), R("A"), E("A"))).toMatchObject({ choice: "Fix now" });
  });

  it("135 have no empty options", async () => {
    const found = await replied("B", "D1 — x\nA)\nB) Bar");
    expect(found.options).toEqual([{ letter: "B", label: "Bar", recommended: false }]);
    expect(found.choice).toBe("Bar");
  });

  it("can be several in one message, but not inside code", async () => {
    const found = await decisions(EA("D1 — one\nA) x\nB) y\n\nD2 — two\nA) v\nB) w"), E("D1: A, D2: B"));
    expect(found.map(({ title, choice }) => [title, choice])).toEqual([
      ["one", "x"],
      ["two", "w"],
    ]);
    expect(await decisions(EA("The form is:\n```\nD1 — title\nA) label\n```\n"), E("A"))).toEqual([]);
    expect(await decisions(EA("Put `<gstack-qid:some-id>` into the text."), E("A"))).toEqual([]);
  });
});

const UNANSWERED = {
  choice: null,
  free_text: null,
  answered: false,
  answered_line: null,
  followed_recommendation: null,
};

describe("answers to briefs", () => {
  it.each([
    ["111", "B - I think B is right", "Investigate"],
    ["111", "A, but later", "Fix now"],
    ["120", "b", "Investigate"],
    ["120", "(B)", "Investigate"],
    ["120", "option B", "Investigate"],
    ["120", "D1: B", "Investigate"],
    ["120", "**B**", "Investigate"],
    ["120", "let's go with B", "Investigate"],
    ["121", "I think B", "Investigate"],
    ["121", "A is fine", "Fix now"],
    ["122", "ack and ship it", "Ack and ship"],
    ["122", "D", "D"],
    ["122", "go with the recommended one", "Fix now"],
    ["122", "A, not B", "Fix now"],
  ])("%s are recognised in %j", async (_, reply, choice) => {
    expect(await replied(reply)).toMatchObject({ choice, answered: true, answered_line: 5 });
  });

  it("120 may name the number of the brief, and are among its own letters", async () => {
    expect(await replied("3.2: B", THREE.replace("D1", "D3.2"))).toMatchObject({ choice: "Investigate" });
    expect(await replied("C", "D1 — x\nA) one\nC) three\nD) four")).toMatchObject({ choice: "three" });
  });

  it.each(["A test first please", "I would rather see the logs", "write it in C", "a for loop is wrong there"])(
    "121 are free text, not a letter, in %j",
    async (reply) => {
      expect(await replied(reply)).toMatchObject({ ...UNANSWERED, free_text: reply, answered: true, answered_line: 5 });
    },
  );

  it.each(["A or B", "A, B", "B and C", "not B", "what does B mean?", "B?", "yes", "don't ack and ship", "A, then B"])(
    "are not recognised in %j",
    async (reply) => {
      expect(await replied(reply)).toMatchObject(UNANSWERED);
    },
  );

  it("123 have free text after 'Other:'", async () => {
    const found = await replied("Other: do X");
    expect(found).toMatchObject({ choice: null, free_text: "do X", answered: true, followed_recommendation: false });
  });

  it("125 must name the brief if two are open", async () => {
    const two = [EA("D3.1 — one\nA) x\nB) y"), EA("D3.2 — two\nA) v\nB) w")];
    expect((await decisions(...two, E("B"))).map(({ answered }) => answered)).toEqual([false, false]);
    expect((await decisions(...two, E("3.2: B"))).map(({ choice }) => choice)).toEqual([null, "w"]);
    expect((await decisions(...two, E("B"), E("3.1: A"))).map(({ choice }) => choice)).toEqual(["x", null]);
    expect((await decisions(...two, E("D9: B"))).map(({ answered }) => answered)).toEqual([false, false]);
  });

  it("may follow a question of the human", async () => {
    const found = await decision(EA(THREE), E("what is the difference between A and B?"), EA("A repairs."), E("B"));
    expect(found).toMatchObject({ choice: "Investigate", answered_line: 7 });
  });

  it("are not recognised after several other messages", async () => {
    const talk = Array.from({ length: 4 }, (_, i) => [E(`what about file ${i}?`), EA("ok")]).flat();
    expect(await decision(EA(THREE), ...talk, E("B"))).toMatchObject({ answered: false });
  });

  it("are taken from human messages only", async () => {
    const machine = R("<subagent_notification>\nB\n</subagent_notification>");
    expect(await decision(EA(THREE), machine)).toMatchObject({ answered: false });
    expect(await decision(EA(THREE), machine, E("C"))).toMatchObject({ choice: "Ack and ship" });
  });

  it("do not count if they were rolled back, and then the next one counts", async () => {
    const back = event("thread_rolled_back", { num_turns: 1 });
    expect(await decision(EA(THREE), E("A"), EA("done"), back)).toMatchObject({ answered: false });
    expect(await decision(EA(THREE), E("A"), EA("done"), back, E("B"))).toMatchObject({ choice: "Investigate" });
  });

  it("are missing for a brief without reply, which can be listed separately", async () => {
    const book = codex(M("s1"), E(ask), EA(THREE), E("A"), EA(THREE.replace("D1", "D2")));
    expect((await book.decisions()).map(({ answered }) => answered)).toEqual([true, false]);
    expect((await book.decisions({ unanswered: true })).map(({ asked_line }) => asked_line)).toEqual([5]);
  });
});

const shipped = (id: string, more: object): Lines => [M(id, { ...more }), E(ask), EA(THREE), E("A")];

describe("decisions of sessions", () => {
  it("have ids that are unique and stay the same as the session grows", async () => {
    const lines = [M("s1"), E(ask), EA(`${THREE}\n${THREE.replace("D1", "D2")}`), E("D1: A")];
    const [first, second] = [await codex(...lines).decisions(), await codex(...lines, E("D2: A")).decisions()];
    expect(first.map(({ id }) => id)).toEqual(second.map(({ id }) => id));
    expect(new Set(first.map(({ id }) => id)).size).toBe(2);
  });

  it("127 belong to the clone of their worktree; 128 to the recorded repository if the directory is gone", async () => {
    const root = folder();
    const clone = join(root, "clone");
    mkdirSync(join(clone, ".git", "worktrees", "side"), { recursive: true });
    writeFileSync(join(clone, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(clone, ".git", "config"), '[remote "origin"]\n\turl = https://example.com/acme/app.git\n');
    writeFileSync(join(clone, ".git", "worktrees", "side", "commondir"), "../..\n");
    const side = join(root, "side");
    mkdirSync(side);
    writeFileSync(join(side, ".git"), `gitdir: ${join(clone, ".git", "worktrees", "side")}\n`);
    const gone = { cwd: join(root, "gone"), git: { repository_url: "git@example.com:acme/app.git" } };
    const book = open({
      codex: {
        "rollout-1.jsonl": shipped("s1", { cwd: clone }),
        "rollout-2.jsonl": shipped("s2", { cwd: side }),
        "rollout-3.jsonl": shipped("s3", gone),
        "rollout-4.jsonl": shipped("s4", { cwd: join(root, "lost") }),
      },
    });
    const projects = (await book.decisions()).map(({ session_id, project }) => [session_id, project]);
    expect(projects.toSorted(([a], [b]) => (a ?? "").localeCompare(b ?? ""))).toEqual([
      ["s1", "acme-app"],
      ["s2", "acme-app"],
      ["s3", "acme-app"],
      ["s4", "lost"],
    ]);
  });

  it("130 are filtered by --since", async () => {
    const book = codex(M("s1"), E(ask), EA(THREE), at("2026-05-12T09:00:00.000Z", E("A")));
    expect(await book.decisions({ since: "2025-12-01" })).toHaveLength(1);
    expect(await book.decisions({ since: "2026-05-13" })).toHaveLength(0);
  });

  it("132 are found in files with unknown versions and record types", async () => {
    const found = await codex(
      M("s1", { cli_version: "9.9.9" }),
      E(ask),
      event("brand_new"),
      EA(THREE),
      E("A"),
    ).decisions();
    expect(only(found).choice).toBe("Fix now");
  });
});
