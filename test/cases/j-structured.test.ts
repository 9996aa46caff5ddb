import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import type { DecisionView } from "../../src/views/decision-view.ts";
import { decisionsOf } from "../../src/turns/decisions/decisions.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { CA, claude, codex, CT, CU, E, EA, folder, M, NOW, only, toolUse, type Lines } from "./build.ts";

/** J. Questions asked with a tool, real files, hostile text. */

const question = {
  question: "Which colour?",
  header: "Colour",
  options: [{ label: "Red (Recommended)" }, { label: "Blue" }],
  multiSelect: false,
};
const called = (result: Lines, input: object = { questions: [question] }, name = "AskUserQuestion"): Lines => [
  CU("go"),
  CA([toolUse("t1", name, { ...input })]),
  ...result,
];
const answered = (text: string): string =>
  `User has answered your questions: ${text}. You can now continue with the user's answers in mind.`;
const one = async (lines: Lines): Promise<DecisionView> => only(await claude(...lines).decisions());

const bash = (text: string): Lines => called([CT("t1", text, {}, { is_error: true })], { command: "rm -r x" }, "Bash");

describe("structured questions", () => {
  it("have the answer to AskUserQuestion", async () => {
    expect(await one(called([CT("t1", answered('"Which colour?"="Red (Recommended)"'))]))).toMatchObject({
      tier: "structured",
      title: "Which colour?",
      recommended: "Red",
      choice: "Red",
      followed_recommendation: true,
      asked_line: 2,
      answered_line: 3,
    });
  });

  it("of one call have separate answers, even with commas and quotes in them", async () => {
    const second = {
      ...question,
      question: 'Say "hi"?',
      options: [{ label: "Yes, do" }, { label: "No" }],
      multiSelect: true,
    };
    const text = answered('"Which colour?"="green, or "teal"", "Say "hi"?"="Yes, do, No, and wave" user notes: soon');
    const found = await claude(...called([CT("t1", text)], { questions: [question, second] })).decisions();
    expect(found.map(({ choice, free_text }) => [choice, free_text])).toEqual([
      [null, 'green, or "teal"'],
      ["Yes, do, No", "and wave, soon"],
    ]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(2);
  });

  it("are unanswered if rejected or still open; words with a rejection are the answer", async () => {
    const refused =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
    const flags = { toolDenialKind: "user-rejected" };
    expect(await one(called([]))).toMatchObject({ answered: false, asked_line: 2 });
    expect(
      await one(
        called([
          CT("t1", `${refused} STOP what you are doing and wait for the user to tell you how to proceed.`, flags, {
            is_error: true,
          }),
        ]),
      ),
    ).toMatchObject({ answered: false });
    const typed = `${refused} To tell you how to proceed, the user said:\nuse green`;
    expect(await one(called([CT("t1", typed, flags, { is_error: true })]))).toMatchObject({
      answered: true,
      choice: null,
      free_text: "use green",
      followed_recommendation: false,
    });
  });

  it("distinguish an approved plan from a rejected one", async () => {
    const input = { plan: "# Move the tests\n\n1. move" };
    const approved = await one(
      called([CT("t1", "User has approved your plan. You can now start coding.")], input, "ExitPlanMode"),
    );
    expect(approved).toMatchObject({
      question_id: "plan-approval",
      title: "Approve the plan: Move the tests",
      choice: "Approve",
    });
    const text =
      "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nsmaller steps";
    const refused = await one(called([CT("t1", text, {}, { is_error: true })], input, "ExitPlanMode"));
    expect(refused).toMatchObject({ choice: "Keep planning", free_text: "smaller steps" });
    const stays = async (words: string): Promise<unknown> =>
      one(called([CT("t1", words, {}, { is_error: true })], input, "ExitPlanMode"));
    expect(await stays("User chose to stay in plan mode and continue planning")).toMatchObject({
      answered: true,
      choice: "Keep planning",
      free_text: null,
    });
    expect(
      await stays(
        'User chose to stay in plan mode and continue planning\n\nComments on the plan:\n[Re: "move"] not yet',
      ),
    ).toMatchObject({ choice: "Keep planning", free_text: '[Re: "move"] not yet' });
    const reason = "The user provided the following reason for the rejection:  too large";
    expect(await stays(`The user doesn't want to proceed with this tool use. ${reason}`)).toMatchObject({
      choice: "Keep planning",
      free_text: "too large",
    });
  });

  it("include a permission that the human denied, but not one that a rule denied", async () => {
    expect(
      await one(bash("The user doesn't want to proceed with this tool use. The tool use was rejected.")),
    ).toMatchObject({
      question_id: "permission-bash",
      title: "Allow Bash: rm -r x",
      choice: "Deny",
      answered_line: 3,
    });
    expect(
      await one(bash("Permission for this tool use was denied. The tool use was rejected. The user said:\nnot there")),
    ).toMatchObject({ choice: "Deny", free_text: "not there" });
    for (const rule of [
      "Permission to use Bash with command rm -r x has been denied.",
      "Permission for this tool use was denied. The tool use was rejected.",
      "Permission for this command was denied by a built-in Claude Code safety check, not by the user.",
      "Permission for this tool use was denied: it requires interactive approval, tell the user.",
      "PreToolUse:Bash hook error: [gate]: the user said: no",
    ])
      expect(await claude(...bash(rule)).decisions()).toEqual([]);
  });

  it("have the words that stand beside a refusal", async () => {
    const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const beside = (words: string): Lines => {
      const result = { type: "tool_result", tool_use_id: "t1", content: refused, is_error: true };
      return called([CU([result, { type: "text", text: words }])], { command: "rm -r x" }, "Bash");
    };
    expect(await one(beside("use git clean instead"))).toMatchObject({
      choice: "Deny",
      free_text: "use git clean instead",
      answered_line: 3,
    });
    // A later message answers something else.
    expect(await one([...bash(refused), CU("what now?")])).toMatchObject({ choice: "Deny", free_text: null });
  });

  it("have the reply that OpenCode puts into the text of a refusal", () => {
    const error =
      "The user rejected permission to use this specific tool call with the following feedback: use git clean";
    const place = { schema_version: 1 as const, time: null, session_id: "s" };
    const nothing = { exit_code: null, duration_ms: null };
    const records: LogRecord[] = [
      { ...place, seq: 1, origin: { row: 1 }, type: "tool_started", call_id: "c", name: "bash", input: {} },
      {
        ...place,
        seq: 2,
        origin: { row: 2 },
        type: "tool_finished",
        call_id: "c",
        status: "denied",
        ...nothing,
        error,
      },
    ];
    const session = { source: "opencode", session_id: "s", project: "", cwd: null, kind: "root" } as const;
    expect(only(decisionsOf(records, session)).decision).toMatchObject({ choice: "Deny", free_text: "use git clean" });
  });

  it("may be written after their answer", async () => {
    const [go = "", call = "", answer = ""] = called([CT("t1", answered('"Which colour?"="Blue"'))]);
    const found = { answered: true, choice: "Blue", asked_line: 3, answered_line: 2 };
    expect(await one([go, answer, call])).toMatchObject(found);
    const [prompt = "", denied = "", reply = ""] = bash("The user doesn't want to proceed with this tool use.");
    expect(await one([prompt, reply, denied])).toMatchObject({ choice: "Deny", asked_line: 3, answered_line: 2 });
  });

  it("count once with a brief that asks the same", async () => {
    const asked = { questions: [{ ...question, question: "D1 — Which colour?\nELI10: a colour" }] };
    const lines = [CU("go"), CA("D1 — Which colour?\nA) Red\nB) Blue"), CA([toolUse("t1", "AskUserQuestion", asked)])];
    expect(await one([...lines, CT("t1", answered('"D1 — Which colour?\nELI10: a colour"="Blue"'))])).toMatchObject({
      tier: "structured",
      choice: "Blue",
    });
  });
});

describe("briefs of a sub-agent", () => {
  it("are no decisions", async () => {
    const sub = { source: { subagent: { thread_spawn: { parent_thread_id: "p", depth: 1 } } } };
    expect(await codex(M("s1", sub), E("do it"), EA("D1 — x\nA) y\nB) z")).decisions()).toEqual([]);
  });
});

const CORPUS = new URL("../fixtures/corpus/", import.meta.url).pathname;

async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const env = { DAYBOOK_HOME: folder() };
  const io = { env, now: NOW, columns: 60, outIsTerminal: false, errIsTerminal: false };
  const code = await main(argv, { ...io, out: (text) => void (out += text), err: (text) => void (err += text) });
  return { code, out, err };
}

describe("the decisions command on real files", () => {
  it("finds the answered question and the denied command of Claude Code", async () => {
    const { out } = await cli("decisions", "--json", "--root", `claude-code=${CORPUS}claude-2.1.325-tui`);
    const found = (JSON.parse(out) as { decisions: DecisionView[] }).decisions;
    expect(
      found.map(({ title, choice, asked_line, answered_line }) => [title, choice, asked_line, answered_line]),
    ).toEqual([
      ["Which colour should the button be?", "Blue", 70, 71],
      ["Allow Bash: echo about to fail; echo oops >&2; exit 3", "Deny", 20, 25],
    ]);
  });

  it("finds the words with which a command was refused (2.1.327)", async () => {
    const root = new URL("../fixtures/claude/d945e7f8-7795-4344-8ad0-13eff386acf8.jsonl", import.meta.url).pathname;
    const { out } = await cli("decisions", "--json", "--root", `claude-code=${root}`);
    expect(only((JSON.parse(out) as { decisions: DecisionView[] }).decisions)).toMatchObject({
      title: "Allow Bash: echo about to fail; echo oops >&2; exit 3",
      choice: "Deny",
      free_text: "use git clean instead",
    });
  });

  it("finds the answered question of Codex", async () => {
    const { out } = await cli("decisions", "--json", "--root", `codex=${CORPUS}codex-0.166.0-tui-nodaemon`);
    expect(only((JSON.parse(out) as { decisions: DecisionView[] }).decisions)).toMatchObject({
      tier: "structured",
      title: "Which colour should the button be?",
      choice: "Blue",
      asked_line: 101,
      answered_line: 104,
      turn_ref: "T0009",
    });
  });

  it("prints a list that fits the terminal's width", async () => {
    const samples = new URL("../../samples/", import.meta.url).pathname;
    const { out, code } = await cli(
      "decisions",
      "--root",
      `codex=${samples}codex`,
      "--root",
      `claude-code=${samples}claude-code`,
    );
    expect(code).toBe(0);
    expect(out).toContain("○ A) Keep aliases for one release (recommended)\n        ● B) Remove at once\n");
    expect(out).toContain("against the recommendation · T0002 · lines 36–38");
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe("decisions in hostile text", () => {
  it("are found without a timeout in huge and repetitive messages, at most 50 per message", async () => {
    const texts = [
      `D1 — ${"x ".repeat(500_000)}\nA) ${"(recommended".repeat(50_000)}\nB) ok`,
      "D1 — x\n".repeat(100_000),
      `D1 — x\n${"A) y\n".repeat(100_000)}`,
      `D1${" ".repeat(200_000)}— x\nA) y`,
      `${"*_> - ".repeat(100_000)}D1 — x\nA) y`,
      `D1 — x\nA) y\n${"```\n".repeat(50_001)}`,
      `<gstack-qid:${"a".repeat(500_000)}`,
    ];
    const replies = [
      "(".repeat(300_000),
      "A ".repeat(200_000),
      "D1".repeat(100_000),
      `D1${" ".repeat(100_000)}`,
      ", D1:".repeat(100_000),
    ];
    for (const text of texts) {
      const found = await codex(M("s1"), E("go"), EA(text), ...replies.map((reply) => E(reply))).decisions();
      expect(found.length).toBeLessThanOrEqual(50);
    }
  });

  it("are printed with escape sequences as visible characters", async () => {
    const dir = folder();
    const path = join(dir, "rollout-x.jsonl");
    writeFileSync(
      path,
      [M("s1"), E("go"), EA("D1 — x\u001b[2Jy\nA) a\u202eb\nB) c"), E("A")]
        .map((line) => JSON.stringify(line))
        .join("\n"),
    );
    const { out } = await cli("decisions", "--root", `codex=${dir}`);
    expect(out).toContain("x␛[2Jy");
    expect(out).not.toMatch(/\u001b|\u202e/);
  });
});
