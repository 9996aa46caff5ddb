import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Schemas } from "./types.ts";
import { served, type Asking } from "./serving.ts";

type Json = Record<string, unknown>;
interface Document {
  paths: Record<string, { get?: { responses: Record<string, { content: Record<string, { schema: Json }> }> } }>;
  components: { schemas: Json };
}

const FILE = fileURLToPath(new URL("../../docs/openapi.json", import.meta.url));
const document = JSON.parse(readFileSync(FILE, "utf8")) as Document;

/** Makes a schema reject unknown fields. Log records are not checked here; they have their own tests. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  const ref = fields["$ref"];
  if (typeof ref === "string") {
    const name = ref.replace("#/components/schemas/", "");
    return name === "LogRecord" ? {} : { $ref: `#/$defs/${name}` };
  }
  return "properties" in fields && "required" in fields ? { additionalProperties: false, ...fields } : fields;
}

/** Schemas of log records, whose names are in lower case. */
const RECORD = /^(?:LogRecord$|[a-z])/;
const $defs = closed(
  Object.fromEntries(Object.entries(document.components.schemas).filter(([name]) => !RECORD.test(name))),
) as Json;

function problemsOf(path: string, answer: unknown): string[] {
  const schema = document.paths[path]?.get?.responses["200"]?.content["application/json"]?.schema;
  expect(schema, path).toBeDefined();
  const checked = z
    .fromJSONSchema({ ...(closed(schema) as Json), $defs } as z.core.JSONSchema.JSONSchema)
    .safeParse(answer);
  return checked.success ? [] : checked.error.issues.map((issue) => JSON.stringify(issue).slice(0, 600));
}

describe("the API over the corpus", () => {
  let ask: Asking = async () => new Response();
  let sessions: Schemas["SessionCard"][] = [];
  beforeAll(async () => {
    ({ ask } = await served());
    sessions = (await json<Schemas["SessionPage"]>("/api/sessions?limit=500&children=true")).sessions;
  });

  async function json<T>(path: string): Promise<T> {
    const response = await ask(path);
    expect(response.status, `${path}: ${response.status === 200 ? "" : await response.clone().text()}`).toBe(200);
    return (await response.json()) as T;
  }

  it("answers every request as docs/openapi.json says", async () => {
    const [one] = sessions.filter(({ turns }) => turns > 1);
    const path = `/sessions/${one?.source}/${encodeURIComponent(one?.session_id ?? "")}`;
    const questions: [path: string, question: string][] = [
      "overview",
      "days",
      "report?week=true",
      "files",
      "sessions?limit=500",
      "turns?limit=500",
      "tools?limit=500&order=worst",
      "search?q=the&limit=50",
      "usage?breakdown=true",
      "usage?group=turn&by=trigger",
      "now",
      "labels",
      "tools/commands",
      "usage/shares",
      "usage/dearest?limit=3",
      "usage/limits",
      "usage/blocks?since=2026-01-01",
      "decisions",
      "context",
      "audit",
      "health",
      "recall?q=parser%20test",
    ].map((question) => [`/${question.replace(/\?.*/, "")}`, `/${question}`]);
    questions.push(["/sessions/{source}/{session}", path]);
    questions.push(["/sessions/{source}/{session}/requests", `${path}/requests`]);
    questions.push(["/sessions/{source}/{session}/records", `${path}/records`]);
    questions.push(["/sessions/{source}/{session}/explain", `${path}/explain?line=1`]);
    questions.push(["/sessions/{source}/{session}/find", `${path}/find?q=the`]);
    for (const part of ["handoff", "resume", "share"])
      questions.push([`/sessions/{source}/{session}/${part}`, `${path}/${part}`]);
    const { files } = await json<Schemas["FileList"]>("/api/files");
    questions.push(["/files/history", `/files/history?path=${encodeURIComponent(files[0]?.path ?? "")}`]);
    for (const [known, question] of questions)
      expect(problemsOf(known, await json(`/api${question}`)), question).toEqual([]);
    const readable = Object.entries(document.paths).filter(
      ([, { get }]) => get?.responses["200"]?.content["application/json"] !== undefined,
    );
    expect(new Set(questions.map(([known]) => known))).toEqual(new Set(readable.map(([known]) => known)));
  });

  it("pages through lists without losing or repeating an element", async () => {
    for (const [question, field, nameOf] of [
      [
        "sessions?children=true&sort=cost",
        "sessions",
        (one: Json) => `${String(one["source"])}/${String(one["session_id"])}`,
      ],
      ["turns?", "turns", (one: Json) => `${String(one["session_id"])}/${String(one["turn_ref"])}`],
      ["tools?", "tools", (one: Json) => `${String(one["session_id"])}/${String(one["call_id"])}`],
    ] as const) {
      const names: string[] = [];
      let cursor: string | null = null;
      let total = 0;
      do {
        const next: string = cursor === null ? "" : `&cursor=${cursor}`;
        const piece: Json = await json(`/api/${question}&limit=17${next}`);
        names.push(...(piece[field] as Json[]).map(nameOf));
        total = piece["total"] as number;
        cursor = piece["next_cursor"] as string | null;
      } while (cursor !== null);
      expect(names.length, question).toBe(total);
      const whole: Json = await json(`/api/${question}&limit=500`);
      expect(names.slice(0, 500), question).toEqual((whole[field] as Json[]).map(nameOf));
    }
  });

  it("gives the same records of a session turn by turn, without a turn, after one, and all at once", async () => {
    const [one] = sessions.filter(({ turns }) => turns > 1);
    const base = `/api/sessions/${one?.source}/${encodeURIComponent(one?.session_id ?? "")}`;
    const { turns } = await json<Schemas["SessionDetail"]>(base);
    const whole = await json<{ records: { seq: number; turn_id?: string }[] }>(`${base}/records?limit=500`);
    for (const turn of turns) {
      const part = await json<{ records: { seq: number }[]; turn: unknown }>(
        `${base}/records?turn=${turn.turn_ref}&limit=500`,
      );
      expect(part.records).toEqual(whole.records.filter(({ turn_id }) => turn_id === turn.turn_ref));
      expect(part.turn).toEqual(turn);
    }
    const none = await json<{ records: { seq: number }[] }>(`${base}/records?turn=none&limit=500`);
    expect(none.records).toEqual(whole.records.filter(({ turn_id }) => turn_id === undefined));
    const [, , third] = whole.records;
    const later = await json<{ records: { seq: number }[] }>(`${base}/records?after=${third?.seq}&limit=500`);
    expect(later.records).toEqual(whole.records.slice(3));
  });

  it("agrees in the short and the full form of a turn", async () => {
    for (const one of sessions.filter(({ turns }) => turns > 0)) {
      const base = `/api/sessions/${one.source}/${encodeURIComponent(one.session_id)}`;
      const { turns, ...whole } = await json<Schemas["SessionDetail"]>(base);
      const { turns: briefs, ...brief } = await json<Schemas["SessionRequests"]>(`${base}/requests`);
      expect(brief).toEqual(whole);
      expect(briefs.map((turn) => [turn.turn_ref, turn.start_line, turn.time, turn.outcome, turn.cost_usd])).toEqual(
        turns.map((turn) => [
          turn.turn_ref,
          turn.start_line,
          turn.trigger.time,
          turn.outcome,
          turn.usage_with_children.cost_usd,
        ]),
      );
    }
  });

  it("counts turns by project and by day as it lists them", async () => {
    const turns: Schemas["TurnPage"]["turns"] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const piece: Schemas["TurnPage"] = await json(`/api/turns?limit=500${cursor === "" ? "" : `&cursor=${cursor}`}`);
      turns.push(...piece.turns);
      cursor = piece.next_cursor;
    }
    const { projects } = await json<Schemas["Overview"]>("/api/overview");
    const { days } = await json<Schemas["Days"]>("/api/days");
    expect(new Set(projects.map(({ project }) => project))).toEqual(new Set(turns.map(({ project }) => project)));
    for (const card of projects) {
      const own = turns.filter(({ project }) => project === card.project);
      expect(card.turns, card.project).toBe(own.length);
      expect(card.sessions).toBe(new Set(own.map(({ source, session_id }) => `${source}/${session_id}`)).size);
      const times = own.flatMap(({ trigger }) => (trigger.time === null ? [] : [Date.parse(trigger.time)]));
      expect(Date.parse(card.last_time ?? "")).toBe(Math.max(...times));
    }
    for (const day of days)
      expect(day.turns, day.day).toBe(turns.filter(({ trigger }) => trigger.time?.startsWith(day.day)).length);
    const [first] = projects;
    const narrow = await json<Schemas["Days"]>(`/api/days?project=${encodeURIComponent(first?.project ?? "")}`);
    expect(narrow.days.reduce((sum, one) => sum + one.turns, 0)).toBe(
      turns.filter(({ project, trigger }) => project === first?.project && trigger.time !== null).length,
    );
  });

  it("names the sessions of search hits, and gives no command to resume in a missing directory", async () => {
    const { hits, sessions: named } = await json<Schemas["SearchHits"]>("/api/search?q=the&limit=50");
    const nameOf = ({ source, session_id }: { source: string; session_id: string }): string =>
      `${source}/${session_id}`;
    expect(named.map(nameOf).toSorted()).toEqual([...new Set(hits.map(nameOf))].toSorted());
    const cards = new Map(sessions.map((one) => [nameOf(one), one]));
    for (const one of named) expect(one.title).toBe(cards.get(nameOf(one))?.title);
    const claude = sessions.find(({ source, kind }) => source === "claude-code" && kind === "root");
    const child = sessions.find(({ source, kind }) => source === "claude-code" && kind === "subagent");
    const resumeOf = async (one: typeof claude): Promise<string | null> =>
      (await json<Schemas["SessionDetail"]>(`/api/sessions/${one?.source}/${one?.session_id}`)).resume;
    // The directories of the corpus are on no machine; only a command that can be run is given.
    expect(existsSync(claude?.cwd ?? "")).toBe(false);
    expect(await resumeOf(claude)).toBeNull();
    expect(await resumeOf(child)).toBeNull();
  });

  it("filters sessions by agent, model, failures, cost and outcome", async () => {
    const listed = async (query: string): Promise<Schemas["SessionCard"][]> =>
      (await json<Schemas["SessionPage"]>(`/api/sessions?limit=500&children=true&${query}`)).sessions;
    const model = sessions.flatMap(({ models }) => models)[0] ?? "";
    for (const [query, isMeant] of [
      ["source=codex", ({ source }) => source === "codex"],
      ["failures=true", ({ tools }) => tools.failed > 0],
      ["min_cost=0.001", ({ usage }) => (usage.cost_usd ?? 0) >= 0.001],
      ["outcome=aborted", ({ outcome }) => outcome === "aborted"],
      [`model=${encodeURIComponent(model)}`, ({ models }) => models.includes(model)],
    ] as [string, (one: Schemas["SessionCard"]) => boolean][]) {
      const names = (list: readonly Schemas["SessionCard"][]): string[] => list.map(({ session_id }) => session_id);
      expect(names(await listed(query)), query).toEqual(names(sessions.filter(isMeant)));
      expect(sessions.some(isMeant), query).toBe(true);
    }
  });

  it("describes errors as problem+json", async () => {
    for (const [path, status, words] of [
      ["/api/nothing", 404, "nothing at /api/nothing"],
      ["/api/sessions?limit=0", 400, "limit"],
      ["/api/sessions?cursor=zzz", 400, "cursor"],
      ["/api/sessions/codex/no-such-session", 404, "no-such-session"],
      ["/api/report?date=never", 400, "never"],
    ] as const) {
      const response = await ask(path);
      expect(response.status, path).toBe(status);
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      const problem = (await response.json()) as Schemas["Problem"];
      expect(problem.status).toBe(status);
      expect(problem.detail, path).toContain(words);
    }
  });
});
