import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folder } from "./cases/build.ts";
import { CLAUDE_CODE } from "./reasons/claude-code.ts";
import { CODEX } from "./reasons/codex.ts";
import { OPENCODE } from "./reasons/opencode.ts";
import { writeSmall } from "./reasons/small-files.ts";
import { sessionsIn } from "./readings/sessions.ts";
import { censusOf, refsIn } from "./readings/readings.ts";

const FIXTURES = fileURLToPath(new URL("./fixtures/", import.meta.url));

/**
 * Snapshots of how each kind of record is read. They show the effect of a changed rule: `npx vitest run
 * test/readings -u` rewrites the files, and their diff is the effect.
 */
describe.each(Object.entries({ codex: CODEX, "claude-code": CLAUDE_CODE }))("genuine records of %s", (id, listed) => {
  it("match the snapshot of counts by kind", async () => {
    const roots = ["corpus", "corpus-2"].flatMap((series) =>
      readdirSync(join(FIXTURES, series))
        .filter((name) => listed.fixtures.test(name))
        .map((name) => join(FIXTURES, series, name)),
    );
    const readings = censusOf(roots.flatMap((root) => [...refsIn(id, root)]));
    await expect(`${readings.join("\n")}\n`).toMatchFileSnapshot(`readings/${id}-genuine.txt`);
  });
});

/** Snapshots of whole sessions, with ownership, outcomes and sums: hand-written ones and small genuine stores. */
describe("assembled sessions", () => {
  it.each([
    ["codex", CODEX],
    ["claude-code", CLAUDE_CODE],
    ["opencode", OPENCODE],
  ])("of hand-written %s files match their snapshot", async (id, listed) => {
    const root = folder();
    try {
      writeSmall(root, listed.files);
      listed.make?.(root);
      const readings = await sessionsIn(id, root);
      await expect(`${readings.join("\n")}\n`).toMatchFileSnapshot(`readings/${id}-sessions.txt`);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it.each([
    ["codex", "corpus-2/codex-0.166.0-hup"],
    ["codex", "corpus/codex-0.130.0-tui"],
    ["claude-code", "corpus-2/claude-2.1.325-tui3"],
    ["claude-code", "corpus/claude-1.0.64"],
  ])("of %s in %s match their snapshot", async (id, store) => {
    const readings = await sessionsIn(id, join(FIXTURES, store));
    await expect(`${readings.join("\n")}\n`).toMatchFileSnapshot(`readings/${store.replace("/", "-")}.txt`);
  });
});
