import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { SearchResult } from "../../src/index/search/search.ts";
import { A, at, codexLine, E, M, R, TC, TD, TS, write, type Line } from "../cases/build.ts";
import { copyCorpus, open, scratch, type Roots } from "./fixture.ts";

const RULES = "# Rules\nAlways measure twice; the zephyrine gauge is in the drawer.\n";

function agents(dir: string, text: string): Line {
  const wrapped = `# AGENTS.md instructions for ${dir}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
  return codexLine("response_item", {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: wrapped }],
  });
}

function session(id: string, day: string, ...setup: Line[]): Line[] {
  const lines = [M(id, { cwd: `/nowhere/${id}` }), ...setup, TS(), R("go"), E("go"), A("done"), TD()];
  return lines.map((line) => at(`2026-05-${day}T08:00:00.000Z`, line));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

describe("instructions in the book", () => {
  const dir = scratch("given");
  const home = scratch("home");
  const roots: Roots = { codex: [dir] };
  const find = (words: string, kinds: string[] = []): Promise<SearchResult[]> => {
    const daybook = open(roots, home);
    return daybook.search(words, { kinds }).finally(() => daybook.close());
  };

  beforeAll(() => {
    write(join(dir, "rollout-a.jsonl"), session("a", "11", agents("/nowhere/a", RULES)));
    write(
      join(dir, "rollout-b.jsonl"),
      session("b", "12", TC({ user_instructions: RULES }), TC({ user_instructions: RULES })),
    );
    write(join(dir, "rollout-c.jsonl"), session("c", "13", agents("/nowhere/c", "Something else altogether.")));
    write(join(dir, "rollout-d.jsonl"), [
      ...session("d", "14", agents("/nowhere/a", RULES)),
      at("2026-05-15T08:00:00.000Z", R("where is the zephyrine gauge?")),
    ]);
  });

  it("are found once per text, with the first and last session in which they were in force", async () => {
    const found = await find("zephyrine");
    expect(found.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ["prompt", "d"],
      ["instructions", "d"],
    ]);
    expect(found[1]).toMatchObject({
      line: 2,
      instructions: {
        hash: hashOf(RULES),
        kind: "instructions",
        path: "/nowhere/a/AGENTS.md",
        sessions: 3,
        first: { source: "codex", session_id: "a", line: 2, time: "2026-05-11T08:00:00.000Z" },
        last: { source: "codex", session_id: "d", line: 2, time: "2026-05-14T08:00:00.000Z" },
      },
    });
    expect(found[1]?.snippet).toContain("the zephyrine gauge is in the drawer");
    expect((await find("zephyrine", ["instructions"])).length).toBe(1);
    expect((await find("zephyrine", ["prompt"])).map(({ kind }) => kind)).toEqual(["prompt"]);
  });

  it("are counted only over the sessions that the filters select", async () => {
    const daybook = open(roots, home);
    const only = await daybook.search("zephyrine", { session: "b", kinds: ["instructions"] });
    expect(only.map(({ instructions }) => instructions?.last.session_id)).toEqual(["b"]);
    expect(only[0]?.instructions?.sessions).toBe(1);
    expect(await daybook.search("zephyrine", { project: "c" })).toEqual([]);
    const early = await daybook.search("zephyrine", { until: "2026-05-12", kinds: ["instructions"] });
    expect(early[0]?.instructions).toMatchObject({ sessions: 2, last: { session_id: "b" } });
    daybook.close();
  });

  it("are stored once per text, and found after the session files and the index are deleted", async () => {
    const before = await find("zephyrine gauge");
    const texts = readdirSync(join(home, "book", "instructions"), { recursive: true, withFileTypes: true });
    const names = texts.filter((entry) => entry.isFile()).map((entry) => entry.name);
    expect(names.toSorted()).toEqual([RULES, "Something else altogether."].map((t) => `${hashOf(t)}.md`).toSorted());
    rmSync(dir, { recursive: true });
    for (const name of ["index.db", "index.db-wal", "index.db-shm"]) rmSync(join(home, name), { force: true });
    expect(await find("zephyrine gauge")).toEqual(before);
  });
});

describe("instruction texts that are damaged", () => {
  const dir = scratch("given");
  const home = scratch("home");
  const roots: Roots = { codex: [dir] };

  beforeAll(async () => {
    write(join(dir, "rollout-a.jsonl"), session("a", "11", agents("/nowhere/a", RULES)));
    const daybook = open(roots, home);
    await daybook.sync();
    daybook.close();
  });

  it.each([
    ["cut off", (path: string) => truncateSync(path, 10)],
    ["changed", (path: string) => writeFileSync(path, RULES.replace("twice", "thrice"))],
    ["deleted", (path: string) => rmSync(path)],
  ])("are named when %s, and read again from a session file", async (_, damage) => {
    const hash = hashOf(RULES);
    const path = join("book", "instructions", hash.slice(0, 2), `${hash}.md`);
    damage(join(home, path));
    const daybook = open(roots, home);
    expect((await daybook.sync({ verify: true })).damaged).toMatchObject([{ page: path.replaceAll("\\", "/") }]);
    expect(readFileSync(join(home, path), "utf8")).toBe(RULES);
    expect((await daybook.sync({ verify: true })).damaged).toEqual([]);
    daybook.close();
  });

  it("are named when emptied while the index was lost, which then does not know them", async () => {
    const hash = hashOf(RULES);
    const path = join("book", "instructions", hash.slice(0, 2), `${hash}.md`);
    truncateSync(join(home, path), 0);
    for (const name of ["index.db", "index.db-wal", "index.db-shm"]) rmSync(join(home, name), { force: true });
    const daybook = open(roots, home);
    expect((await daybook.sync({ verify: true })).damaged).toMatchObject([{ page: path.replaceAll("\\", "/") }]);
    await daybook.sync();
    expect(readFileSync(join(home, path), "utf8")).toBe(RULES);
    daybook.close();
  });

  it("are named each time when no file states them any more", async () => {
    const hash = hashOf(RULES);
    rmSync(dir, { recursive: true });
    rmSync(join(home, "book", "instructions", hash.slice(0, 2), `${hash}.md`));
    const daybook = open(roots, home);
    for (let times = 0; times < 2; times++)
      expect((await daybook.sync({ verify: true })).damaged.map(({ page }) => page)).toEqual([
        `book/instructions/${hash.slice(0, 2)}/${hash}.md`,
      ]);
    daybook.close();
  });
});

describe("instructions of genuine sessions", () => {
  it("are listed by `context` with path, hash and truncation, and found once", async () => {
    const { roots } = copyCorpus();
    const daybook = open(roots, scratch("home"));
    const rules = new Set(
      (await daybook.context()).flatMap(({ instructions }) => instructions.map((one) => JSON.stringify(one))),
    );
    // The hash is that of the file AGENTS.md itself. Claude Code leaves out its last line break.
    const [file, trimmed] = ["# Rules\nAlways be brief.\n", "# Rules\nAlways be brief."].map(hashOf);
    for (const version of ["0.63.0", "0.130.0", "0.166.0"])
      expect(rules).toContain(
        JSON.stringify({
          kind: "instructions",
          path: `/srv/dev/labs/codex-${version}/AGENTS.md`,
          hash: file,
          truncated: false,
        }),
      );
    expect(rules).toContain(
      JSON.stringify({
        kind: "Project",
        path: "/srv/dev/labs/claude-2.1.325/CLAUDE.md",
        hash: trimmed,
        truncated: false,
      }),
    );
    const bases = [...rules].filter((one) => one.includes('"kind":"base"'));
    // Codex, Claude Code, Copilot and pi record the system prompt; the corpus has shortened copies.
    expect(bases.length).toBeGreaterThan(4);
    expect(bases.some((one) => one.includes('"truncated":true'))).toBe(true);
    const found = await daybook.search("always be brief", { kinds: ["instructions"], limit: 50 });
    expect(new Set(found.map(({ instructions }) => instructions?.hash))).toEqual(new Set([file, trimmed]));
    expect(found).toHaveLength(2);
    expect(
      (await daybook.search("approval_policy filesystem sandboxing", { kinds: ["instructions"] })).length,
    ).toBeGreaterThan(0);
  });
});
