import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";
import { A, at, codex, codexLine, E, M, open, R, TD, TS, U, type Line } from "./cases/build.ts";
import { CORPUS } from "./truth.ts";

const SECOND = `${CORPUS.slice(0, -1)}-2/`;
const folders = [CORPUS, SECOND].flatMap((root) =>
  readdirSync(root)
    .filter((name) => name.startsWith("codex"))
    .map((name) => [name, `${root}${name}`] as const),
);

const tokens = (output: number): object => ({ input_tokens: 0, output_tokens: output, total_tokens: output });

/** A minimal usage record: the fields of a genuine one that matter here. */
function usageRecord(id: string, output: number, total: number): Line {
  return codexLine("token_usage_record", {
    response_id: id,
    usage: tokens(output),
    thread_token_usage: tokens(total),
  });
}

async function audited(...lines: (Line | string)[]): Promise<object> {
  const [session] = (await codex(M("s"), TS("t"), R("go"), E("go"), ...lines, TD("t")).audit()).sessions;
  return {
    stated: session?.stated_total,
    difference: session?.difference,
    balanced: session?.balanced,
  };
}

describe("the token total that an agent states", () => {
  it.each(folders)("equals the tokens counted in every session of %s", async (_, root) => {
    const daybook = new Daybook({ roots: { codex: [root] }, env: {}, home: "/nowhere" });
    const { sessions, totals, balanced } = await daybook.audit();
    expect(sessions.filter((session) => session.difference !== 0 && session.difference !== null)).toEqual([]);
    expect(sessions.filter((session) => session.tokens.counted > 0 && session.stated_total === null)).toEqual([]);
    expect(totals).toMatchObject({ stated_total: totals.tokens.counted, difference: 0 });
    expect(balanced).toBe(true);
  });

  it("reveals a response that no record contains", async () => {
    expect(await audited(usageRecord("a", 5, 5), usageRecord("b", 5, 13))).toEqual({
      stated: 13,
      difference: -3,
      balanced: false,
    });
    expect(await audited(usageRecord("a", 5, 5), usageRecord("b", 5, 10))).toEqual({
      stated: 10,
      difference: 0,
      balanced: true,
    });
  });

  it("may differ from the counted tokens if a line is malformed", async () => {
    const cut = '{"timestamp":"2026-05-12T08:00:00.000Z","type":"token_usage_record","payload":{"resp';
    expect(await audited(usageRecord("a", 5, 5), cut, usageRecord("b", 5, 13))).toEqual({
      stated: 13,
      difference: -3,
      balanced: true,
    });
  });

  it.each([
    ["token counts", (id: string, output: number, total: number): Line => (void id, U(total, output))],
    ["usage records", usageRecord],
  ])("of a fork excludes what its origin spent, stated in %s", async (_, stated) => {
    const shared = [TS("t"), R("go"), E("go"), A("a"), stated("r1", 40, 40), TD("t")];
    const own = [TS("u"), R("on"), E("on"), A("b"), stated("r2", 5, 45), TD("u")];
    const late = (line: Line): Line => at("2026-05-12T09:00:00.000Z", line);
    const book = open({
      codex: {
        "rollout-a.jsonl": [M("a"), ...shared],
        "rollout-b.jsonl": [late(M("b", { forked_from_id: "a" })), ...[...shared, ...own].map(late)],
      },
    });
    const { sessions, balanced } = await book.audit();
    expect(sessions.map((session) => [session.session_id, session.stated_total, session.difference])).toEqual([
      ["a", 40, 0],
      ["b", 5, 0],
    ]);
    expect(balanced).toBe(true);
  });

  it("includes every response of a server that reuses one response id", async () => {
    expect(await audited(usageRecord("resp_1", 5, 5), usageRecord("resp_1", 5, 10))).toEqual({
      stated: 10,
      difference: 0,
      balanced: true,
    });
  });

  it("is null if nothing is stated", async () => {
    expect(await audited()).toEqual({ stated: null, difference: null, balanced: true });
  });
});
