import { appendFileSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { UNREAD } from "../src/agents/unread.ts";
import { SOURCES } from "../src/agents/registry.ts";
import { Daybook } from "../src/answers/daybook.ts";
import { E, M, R, TD, TS, write } from "./cases/build.ts";
import { copyCorpus, open, scratch } from "./store/fixture.ts";
import { run } from "./store/cli.ts";

const DOC = readFileSync(new URL("../docs/sources.md", import.meta.url), "utf8");

/** The list under "Cannot be known" of one agent, as plain sentences. */
function documented(id: string): string[] {
  const name = new RegExp(`^\\| \\[([^\\]]+)\\]\\([^)]*\\) \\| \`${id}\``, "m").exec(DOC)?.[1] ?? "";
  const section = DOC.split("\n## ").find((text) => text.startsWith(`${name}\n`)) ?? "";
  const list = section.split("Cannot be known:\n")[1] ?? "";
  return list.split(/^- /m).flatMap((item) => item.replaceAll("**", "").replace(/\s+/g, " ").trim() || []);
}

describe("doctor", () => {
  it.each(SOURCES.map((source) => [source.id, source] as const))(
    "lists for %s what docs/sources.md says cannot be known",
    (id, source) => {
      expect(source.unknowable.length).toBeGreaterThan(0);
      expect(source.unknowable).toEqual(documented(id));
    },
  );

  it("names agents that are not read, where they are found, and docs/sources.md lists them", async () => {
    const home = scratch("unread");
    mkdirSync(join(home, ".kiro", "sessions"), { recursive: true });
    mkdirSync(join(home, "data", "mimocode"), { recursive: true });
    const daybook = new Daybook({ env: { XDG_DATA_HOME: join(home, "data") }, home, timezone: "UTC" });
    expect((await daybook.doctor()).unread_agents).toEqual([
      { name: "Kiro", path: join(home, ".kiro", "sessions"), like: null },
      { name: "MiMoCode", path: join(home, "data", "mimocode"), like: "opencode" },
    ]);
    const { roots } = copyCorpus(["codex-0.166.0"]);
    expect((await new Daybook({ env: {}, home, roots, timezone: "UTC" }).doctor()).unread_agents).toEqual([]);
    const ids = SOURCES.map(({ id }) => id);
    for (const [name, place, like] of UNREAD) {
      expect(DOC).toContain(`| ${name} | \`${place}\` | ${like === null ? "–" : `\`${like}\``} |`);
      expect([...ids, null]).toContain(like);
    }
  });

  it("reports the same from the book as from the files, with duplicate, grown and malformed files", async () => {
    const { dir, roots } = copyCorpus(["codex-0.166.0", "claude-2.1.325-tui", "pi-0.87.1"]);
    const book = scratch("book");
    const paths = (await open(roots, book).sessions()).map(({ session_path }) => session_path ?? "");
    const [claude = "", codex = ""] = ["claude", "codex"].map((name) => paths.find((path) => path.includes(name)));
    // A duplicate file, a record of an unknown type, and a malformed line.
    copyFileSync(codex, join(dir, "codex-0.166.0", "sessions", basename(codex)));
    appendFileSync(claude, '{"type":"never seen","sessionId":"x"}\n{broken\n');
    // Two sessions that name each other as their origin: the cycle shows only if both are read.
    for (const [id, from] of [
      ["one", "two"],
      ["two", "one"],
    ] as const) {
      const lines = [M(id, { forked_from_id: from }), TS(id), R(id), E(id), TD(id)];
      write(join(dir, "codex-0.166.0", "sessions", `rollout-${id}.jsonl`), lines);
    }
    const withBook = open(roots, book);
    await withBook.sync();
    const { sources, healthy } = await withBook.doctor();
    expect({ sources, healthy }).toEqual(
      await open(roots)
        .doctor()
        .then((plain) => ({ sources: plain.sources, healthy: plain.healthy })),
    );
    expect(healthy).toBe(false);
    expect(sources.flatMap(({ problems }) => problems).map(({ code }) => code)).toEqual(
      expect.arrayContaining(["file_duplicate", "lineage_cycle"]),
    );
    withBook.close();
  });

  it("reports every place it searched, with a verdict and the number of files", async () => {
    const { dir, roots } = copyCorpus(["opencode-1.18.33", "goose-1.34.0"]);
    const [empty, missing] = [join(scratch("empty"), "x"), join(dir, "nowhere")];
    mkdirSync(empty);
    const named = { ...roots, goose: [...(roots["goose"] ?? []), empty, missing] };
    const { sources } = await open(named).doctor();
    const described = sources.map(({ source, files, sessions, places }) => ({
      source,
      files,
      sessions,
      places: places.map(({ path, verdict, files: inside }) => [path, verdict, inside]),
    }));
    expect(described).toEqual([
      {
        source: "goose",
        files: 1,
        sessions: 10,
        places: [
          [join(dir, "goose-1.34.0"), "found", 1],
          [empty, "empty", 0],
          [missing, "missing", 0],
        ],
      },
      { source: "opencode", files: 1, sessions: 19, places: [[join(dir, "opencode-1.18.33"), "found", 1]] },
    ]);
  });

  it("prints what cannot be known only for agents whose sessions it found", async () => {
    const { dir } = copyCorpus(["goose-1.34.0"]);
    const { out } = await run(["doctor", "--full", "--root", `goose=${dir}`, "--root", `codex=${scratch("empty")}`]);
    expect(out).toContain(`1 file       ${dir}\n`);
    expect(out).toContain("How long a call took (times are whole seconds)");
    expect(out).toContain("no sessions");
    expect(out).not.toContain("An answer that Codex threw away");
  });
});
