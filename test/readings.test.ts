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
 * What is told of each kind of record, word for word, in a file to read. Whoever changes a rule sees here what becomes of it:
 * `npx vitest run test/readings -u` writes the files anew, and the difference is the change.
 */
describe.each(Object.entries({ codex: CODEX, "claude-code": CLAUDE_CODE }))("records of %s", (id, listed) => {
  it("of genuine sessions, by kind", async () => {
    const roots = ["corpus", "corpus-2"].flatMap((series) =>
      readdirSync(join(FIXTURES, series))
        .filter((name) => listed.fixtures.test(name))
        .map((name) => join(FIXTURES, series, name)),
    );
    const readings = censusOf(roots.flatMap((root) => [...refsIn(id, root)]));
    await expect(`${readings.join("\n")}\n`).toMatchFileSnapshot(`readings/${id}-genuine.txt`);
  });
});

/** What sessions are put together to: ownership, outcomes, sums and all. Of small genuine stores, and of what is written by hand. */
describe("sessions as they are put together", () => {
  it.each([
    ["codex", CODEX],
    ["claude-code", CLAUDE_CODE],
    ["opencode", OPENCODE],
  ])("%s, written by hand", async (id, listed) => {
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
  ])("%s %s", async (id, store) => {
    const readings = await sessionsIn(id, join(FIXTURES, store));
    await expect(`${readings.join("\n")}\n`).toMatchFileSnapshot(`readings/${store.replace("/", "-")}.txt`);
  });
});
