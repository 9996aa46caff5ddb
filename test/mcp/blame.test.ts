import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { open, scratch } from "../store/fixture.ts";
import { connected } from "./client.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/blame/ledger", import.meta.url));

it("the MCP tool blame names the turns that wrote the lines of a file, without the text of the lines", async () => {
  const files = join(FIXTURE, "tree");
  const work = join(scratch("blame"), "ledger");
  cpSync(files, work, { recursive: true });
  const roots = {
    codex: [join(FIXTURE, "codex"), join(FIXTURE, "codex-classic")],
    "claude-code": [join(FIXTURE, "claude-code")],
  };
  const daybook = open(roots, scratch("home"), { noSync: true });
  const { ask } = await connected({ daybook, cwd: work, env: {} });
  await daybook.sync();
  const names = readdirSync(work, { recursive: true, encoding: "utf8" })
    .filter((one) => /\.\w+$/.test(one))
    .toSorted();
  const views = await Promise.all(names.map((one) => daybook.blame(one, { cwd: work })));
  const at = views.findIndex(({ counts }) => counts.attributed > 0);
  const [name = "", view] = [names[at], views[at]];
  if (!view) throw new Error("no line of the fixture is attributed");
  const { inside, outside } = await ask("blame", { target: name });
  expect(outside).toContain(`${view.counts.attributed} of ${view.counts.lines} lines attributed`);
  for (const { turn, line } of view.lines)
    if (turn !== null) {
      const range = inside.split("\n").find((one) => {
        const [, first, last = first] = /^(\d+)(?:-(\d+))?: /.exec(one) ?? [];
        return Number(first) <= line && line <= Number(last);
      });
      expect(range).toContain(turn);
    }
  const text = readFileSync(join(work, name), "utf8").split("\n");
  for (const line of text.filter((one) => one.trim().length > 20)) expect(inside).not.toContain(line.trim());
  // Over HTTP the client's working directory is unknown.
  const elsewhere = await (await connected({ daybook, cwd: null, env: {} })).ask("blame", { target: name });
  expect(elsewhere.isError).toBe(true);
  daybook.close();
});
