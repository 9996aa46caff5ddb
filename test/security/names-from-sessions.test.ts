import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { A, E, folder, M, R, write } from "../cases/build.ts";
import { run } from "../cases/workspace.ts";

/** Hostile session ids: path traversal, names of devices and hosts, too long, or alike after escaping. */
const IDS = [
  "../../climbed",
  "..",
  ".",
  "/etc/climbed",
  "..\\..\\climbed",
  "a/b",
  "a_b",
  "a:b",
  "CON",
  "//host/share",
  "~/climbed",
  "-rf",
  "x".repeat(5000),
  `${"x".repeat(4999)}y`,
  "line\nbreak",
  "nul\u0000l",
];

it("session ids and paths cannot make Daybook write outside its directories or overwrite a session", async () => {
  const base = folder();
  const [codex, home, out] = [join(base, "in/codex"), join(base, "in/home"), join(base, "in/deep/er/out")];
  for (const [i, id] of IDS.entries())
    write(join(codex, `rollout-${i}.jsonl`), [
      M(id, { cwd: `/nowhere/${id}` }),
      R(`ask ${i}`),
      E(`ask ${i}`),
      A("done"),
    ]);
  mkdirSync(join(base, "in/deep/er"), { recursive: true });
  writeFileSync(join(base, "kept"), "as it was");
  const roots = ["--root", `codex=${codex}`, "--home", home];
  for (const words of [["sync"], ["prepare", "--date", "2026-05-12"], ["export", "--out", out, "--quiet"]]) {
    const { code, err } = await run([...words, ...roots], {});
    expect([words[0], code, err]).toEqual([words[0], 0, ""]);
  }
  expect(readdirSync(base).toSorted()).toEqual(["in", "kept"]);
  expect(readdirSync(join(base, "in")).toSorted()).toEqual(["codex", "deep", "home"]);
  expect(readdirSync(join(base, "in/deep/er"))).toEqual(["out"]);
  expect(readdirSync(out)).toEqual(["codex"]);
  const sessions = JSON.parse((await run(["sessions", "--json", ...roots], {})).out) as unknown;
  expect(sessions).toMatchObject({ sessions: { length: IDS.length } });
  expect(readdirSync(join(out, "codex"))).toHaveLength(IDS.length);
});
