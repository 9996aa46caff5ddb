import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { main } from "../src/doors/cli/main.ts";
import { copyCorpus, LABELS, scratch } from "./store/fixture.ts";
import { sourceOfCorpus } from "./truth.ts";

async function run(args: readonly string[]): Promise<{ code: number; text: string }> {
  let text = "";
  const append = (more: string): void => void (text += more);
  const code = await main(args, {
    out: append,
    err: append,
    env: { HOME: "/nowhere" },
    now: Date.UTC(2026, 11, 31),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  });
  return { code, text };
}

/** A hand-written Claude Code record with unusual values; no genuine record has them all. */
const ODD = {
  type: "user",
  sessionId: "odd",
  uuid: "odd-1",
  cwd: "/w\ud800",
  version: "2.1.\udc00",
  isMeta: -0,
  timestamp: "+275760-09-13T00:00:00.001Z",
  message: { role: "user", content: "half \ud83d of a pair, \udead, \u0000, \u2028 and 1e400" },
};

it.each(LABELS)("validate accepts what export writes for %s", async (label) => {
  const { dir, roots } = copyCorpus([label]);
  const source = sourceOfCorpus(label);
  if (source === "claude-code") {
    const sessionFile = readdirSync(join(dir, label), { recursive: true, encoding: "utf8" }).find((name) =>
      /projects\/.*\.jsonl$/.test(name),
    );
    if (sessionFile !== undefined) appendFileSync(join(dir, label, sessionFile), `${JSON.stringify(ODD)}\n`);
  }
  const out = scratch("export");
  const root = (roots[source] ?? []).flatMap((path) => ["--root", `${source}=${path}`]);
  const { code } = await run(["export", "--out", out, "-q", ...root]);
  expect([0, 3]).toContain(code);
  const files = readdirSync(join(out, source)).map((name) => join(out, source, name));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const { code: exitCode, text } = await run(["validate", file]);
    expect(exitCode, text).toBe(0);
  }
});
