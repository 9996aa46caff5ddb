import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { folder } from "./cases/build.ts";
import { CLAUDE_CODE } from "./reasons/claude-code.ts";
import { CODEX } from "./reasons/codex.ts";
import { writeSmall } from "./reasons/small-files.ts";
import { refsIn, readingsOf } from "./readings/readings.ts";

/** How hand-written records are read, at least one for every rule; see readings.test.ts. */
it.each(Object.entries({ codex: CODEX, "claude-code": CLAUDE_CODE }))(
  "hand-written records of %s match their snapshot",
  async (id, listed) => {
    const root = folder();
    try {
      writeSmall(root, listed.files);
      const readings = refsIn(id, root).flatMap((ref) => readingsOf(ref, root));
      await expect(`${readings.join("\n")}\n`).toMatchFileSnapshot(`readings/${id}.txt`);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
);
