import { beforeAll, describe, expect, it } from "vitest";
import type { Schemas } from "./types.ts";
import { PAGE_TOKEN, served, type Asking } from "./serving.ts";

describe("stars, labels and notes over the API", () => {
  let ask: Asking = async () => new Response();
  let one: Schemas["SessionCard"];
  const PAGE_HEADERS = { "content-type": "application/json", "x-daybook-token": PAGE_TOKEN };
  beforeAll(async () => {
    ({ ask } = await served());
    const { sessions } = await json<Schemas["SessionPage"]>("/api/sessions?limit=500");
    one = sessions.find(({ turns }) => turns > 1) as Schemas["SessionCard"];
  });

  async function json<T>(path: string): Promise<T> {
    return (await (await ask(path)).json()) as T;
  }
  const place = (): string => `/api/sessions/${one.source}/${one.session_id}/marks`;
  const post = async (body: unknown, headers: Record<string, string> = PAGE_HEADERS): Promise<Response> =>
    ask(place(), { method: "POST", headers, body: JSON.stringify(body) });

  it("are accepted only from the page itself", async () => {
    expect((await post({ starred: true }, { "content-type": "application/json" })).status).toBe(403);
    expect((await post({ starred: true }, { ...PAGE_HEADERS, "content-type": "text/plain" })).status).toBe(415);
    expect((await post({ starred: true }, { ...PAGE_HEADERS, origin: "http://evil.example" })).status).toBe(403);
    expect((await json<Schemas["SessionPage"]>("/api/sessions?starred=1")).total).toBe(0);
  });

  it("can be added, used as filters, and removed", async () => {
    await post({ starred: true, label: ["ticket=ABC-1"] });
    const answer = await post({ turn_ref: "T0002", note: `key ghp_${"a1B2".repeat(9)}` });
    const { marks } = (await answer.json()) as Schemas["SessionMarked"];
    expect(marks).toMatchObject({ starred: true, turns: [{ turn_ref: "T0002", notes: [{ id: "n1" }] }] });
    expect(JSON.stringify(marks)).toContain("[redacted:github-token]");
    for (const query of ["starred=1", "label=ticket", "label=ticket%3DABC-1", "noted=true"]) {
      const { sessions } = await json<Schemas["SessionPage"]>(`/api/sessions?${query}`);
      expect(
        sessions.map(({ session_id }) => session_id),
        query,
      ).toEqual([one.session_id]);
    }
    const { turns } = await json<Schemas["TurnPage"]>("/api/turns?noted=1");
    expect(turns.map(({ turn_ref }) => turn_ref)).toEqual(["T0002"]);
    expect(await json("/api/labels")).toEqual({ labels: [{ key: "ticket", value: "ABC-1", sessions: 1, turns: 0 }] });
    expect(await json("/api/search?q=key&kinds=note")).toMatchObject({ hits: [{ kind: "note", line: null }] });
    await post({ starred: false, unlabel: ["ticket"], unnote: "n1" });
    expect((await json<Schemas["SessionPage"]>("/api/sessions?starred=1")).total).toBe(0);
  });

  it("are refused if they are invalid or too long", async () => {
    for (const body of [
      { label: ["a b"] },
      { turn_ref: "none" },
      { starred: "yes" },
      { note: " " },
      { turn_ref: "T0999" },
    ])
      expect((await post(body)).status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
    expect((await post({ note: "x".repeat(20_000) }, { ...PAGE_HEADERS, "content-length": "20011" })).status).toBe(413);
  });
});
