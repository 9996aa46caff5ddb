import { describe, expect, it } from "vitest";
import { A, at, CA, claude, claudeLine, codex, CU, event, item, M, R, TD, U, type Book, type Line } from "./build.ts";
import { prepared } from "./workspace.ts";

/** Whether the session is kept with a limit of 100 output tokens, the one in the cases. */
async function isKept(book: Book, minOutput = 100): Promise<boolean> {
  const result = await prepared(book, { minOutput });
  expect(result.left_out).toHaveLength(1 - result.sessions);
  return result.sessions === 1;
}

function total(output_tokens: unknown): Line {
  return event("token_count", { info: { total_token_usage: { output_tokens }, last_token_usage: { output_tokens } } });
}

function replies(...list: [id: string | null, output: number][]): Line[] {
  return list.map(([id, output]) => CA("a", { id, output }));
}

/** Section H: the filter for sessions with low output. */
describe("H. low output", () => {
  it.each([0, 1, 99, 100, 101])(
    "case 88: a Codex session of %i tokens is kept only from 100 tokens on",
    async (tokens) => {
      const lines = tokens === 0 ? [U(0, 0)] : [A("a"), U(tokens, tokens)];
      expect(await isKept(codex(M("s"), R("go"), ...lines, TD()))).toBe(tokens >= 100);
    },
  );

  it.each([0, 1, 99, 100, 101])(
    "case 88: a Claude session of %i tokens is kept only from 100 tokens on",
    async (output) => {
      expect(await isKept(claude(CU("go"), CA("a", { output })))).toBe(output >= 100);
    },
  );

  it("the filter is off by default, and the manifest lists what it left out and why", async () => {
    const book = claude(CU("go"), CA("a", { output: 5 }));
    expect((await prepared(book)).sessions).toBe(1);
    const result = await prepared(book, { minOutput: 100 });
    expect(result.notes).toMatchObject({
      min_output: 100,
      left_out: [{ source_session_id: "case", reason: "fewer than 100 output tokens in every turn of the day" }],
    });
    expect(await isKept(book, 5)).toBe(true);
  });

  it("one turn with enough output keeps all turns of the day; turns of other days do not count", async () => {
    const two = codex(M("s"), R("a"), A("x"), U(5, 5), TD(), R("b"), A("y"), U(200, 195), TD());
    expect((await prepared(two, { minOutput: 100 })).turns).toBe(2);
    expect(
      await isKept(
        codex(
          M("s"),
          at("2026-05-11T08:00:00.000Z", R("a")),
          A("x"),
          U(500, 500),
          TD(),
          R("b"),
          A("y"),
          U(505, 5),
          TD(),
        ),
      ),
    ).toBe(false);
  });

  it("case 90: a repeated token count is no second response", async () => {
    const repeated = codex(M("s"), R("go"), U(40, 40), U(40, 40), A("a"), U(80, 40), U(80, 40), TD());
    expect(await isKept(repeated)).toBe(false);
    expect(await isKept(codex(M("s"), R("go"), U(60, 60), A("a"), U(120, 60), TD()))).toBe(true);
  });

  it("case 91: a total before the turn is its baseline; without a baseline the session is kept", async () => {
    expect(await isKept(codex(M("s"), U(1000, 1000), R("go"), A("a"), U(1005, 5), TD()))).toBe(false);
    expect(await isKept(codex(M("s"), R("go"), A("a"), U(1005, 5), TD()))).toBe(true);
  });

  it.each<[string, readonly Line[]]>([
    ["the total decreases", [A("a"), U(40, 40), A("b"), U(30, 30), TD()]],
    ["the agent spoke after the last total", [A("a"), U(40, 40), A("b"), TD()]],
    ["a tool was called after the last total", [A("a"), U(40, 40), item({ type: "function_call", name: "x" }), TD()]],
    ["the last turn is open", [A("a"), U(40, 40)]],
    ["no tokens with output", [A("a"), U(0, 0), TD()]],
    ["there is no total", [A("a"), TD()]],
    ...[null, -1, true, 1.5, "5"].map((n): [string, Line[]] => [
      `the total is ${JSON.stringify(n)}`,
      [A("a"), total(n), TD()],
    ]),
  ])("case 92: a session with unknown output is kept: %s", async (_, lines) => {
    expect(await isKept(codex(M("s"), R("go"), ...lines))).toBe(true);
  });

  it("case 92: a token count without info is ignored", async () => {
    const limits = event("token_count", { info: null, rate_limits: {} });
    expect(await isKept(codex(M("s"), R("go"), A("a"), U(40, 40), limits, TD()))).toBe(false);
  });

  it("case 93: a Claude response counts once, with its largest number", async () => {
    expect(await isKept(claude(CU("go"), ...replies(["m1", 30], ["m1", 50], ["m2", 40])))).toBe(false);
    expect(await isKept(claude(CU("go"), ...replies(["m1", 50], ["m2", 50])))).toBe(true);
    expect(await isKept(claude(CU("go"), ...replies([null, 50], [null, 49])))).toBe(false);
    expect(await isKept(claude(CU("go"), ...replies([null, 50], [null, 50])))).toBe(true);
  });

  it.each<[string, Line]>([
    ["no message", claudeLine("assistant", { message: undefined })],
    ["no identity", CA("a", { id: null, output: 5 }, { uuid: undefined })],
    ["no usage", CA("a", { output: null })],
  ])("case 93: a session with unknown output is kept: a reply with %s", async (_, reply) => {
    expect(await isKept(claude(CU("go"), CA("a", { output: 5 }), reply))).toBe(true);
  });

  it("seed 1.9: a session with a malformed line, an untimed prompt or no reply is kept", async () => {
    expect(await isKept(claude(CU("go"), CA("a", { output: 5 }), "{ broken"))).toBe(true);
    expect(await isKept(claude(CU("go"), CA("a", { output: 5 }), at(null, CU("more")), CA("b", { output: 5 })))).toBe(
      true,
    );
    expect(await isKept(claude(CU("go")))).toBe(true);
  });
});
