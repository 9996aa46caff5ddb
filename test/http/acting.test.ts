import { beforeAll, describe, expect, it } from "vitest";
import type { Schemas } from "./types.ts";
import { served, type Asking } from "./serving.ts";

describe("what one does with a session, over the API", () => {
  let ask: Asking = async () => new Response();
  let one: Schemas["SessionCard"];
  beforeAll(async () => {
    ({ ask } = await served());
    const { sessions } = await json<Schemas["SessionPage"]>("/api/sessions?limit=500&failures=1");
    one = sessions.find(({ turns }) => turns > 1) as Schemas["SessionCard"];
  });

  async function json<T>(path: string): Promise<T> {
    return (await (await ask(path)).json()) as T;
  }
  const place = (): string => `/api/sessions/${one.source}/${one.session_id}`;

  it("resume says the command, or why there is none", async () => {
    const { command, why, session_id } = await json<Schemas["ResumeView"]>(`${place()}/resume`);
    expect(session_id).toBe(one.session_id);
    expect([command, why].filter((text) => text === null)).toHaveLength(1);
  });

  it("handoff keeps to the budget and to the turn", async () => {
    const brief = await json<Schemas["Handoff"]>(`${place()}/handoff?turn=T0001&budget=700`);
    expect(brief.turn_ref).toBe("T0001");
    expect(brief.tokens).toBeLessThanOrEqual(700);
    expect(brief.markdown).toContain("#");
    expect((await ask(`${place()}/handoff?to=nobody`)).status).toBe(400);
  });

  it("share says what the saved document will contain", async () => {
    const whole = await json<Schemas["SharePreview"]>(`${place()}/share`);
    const part = await json<Schemas["SharePreview"]>(`${place()}/share?turn=T0002`);
    expect(whole.requests).toBe(one.turns);
    expect(part.requests).toBe(1);
    expect(part.tool_calls).toBeLessThanOrEqual(whole.tool_calls);
    const saved = await (await ask(`${place()}/export?format=markdown&turn=T0002`)).text();
    expect(saved.startsWith(part.text)).toBe(true);
    const html = await (await ask(`${place()}/export?format=html&turn=T0002`)).text();
    expect(html).toContain("T0002");
    expect(html).not.toContain('id="T0001"');
  });

  it("find looks through the whole session, word for word", async () => {
    const { records } = await json<Schemas["RecordPage"]>(`${place()}/records?limit=500`);
    const said = records.findLast(({ type }) => type === "assistant_finished") as {
      text: string;
      origin: { line: number };
    };
    const words = said.text.trim().slice(0, 12);
    const { matches, total } = await json<Schemas["SessionMatches"]>(
      `${place()}/find?q=${encodeURIComponent(words.toUpperCase())}`,
    );
    expect(total).toBe(matches.length);
    expect(matches.map(({ line }) => line)).toContain(said.origin.line);
    expect(await json(`${place()}/find?q=${"zq".repeat(20)}`)).toEqual({ matches: [], total: 0 });
  });

  it("calls are listed with what was asked of their turns", async () => {
    const { tools, turns } = await json<Schemas["ToolPage"]>("/api/tools?status=failed&limit=20");
    const named = new Set(turns.map(({ session_id, turn_ref }) => `${session_id}/${turn_ref}`));
    expect(tools.length).toBeGreaterThan(0);
    for (const { session_id, turn_ref } of tools)
      if (turn_ref !== null) expect(named).toContain(`${session_id}/${turn_ref}`);
    expect(turns[0]?.request).toEqual(expect.any(String));
  });
});
