import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";
import { M, write } from "./cases/build.ts";
import { scratch } from "./store/fixture.ts";

interface Ran {
  code: number;
  out: string;
  err: string;
  started: [words: readonly string[], dir: string | null][];
}

/** Sessions with only a header: `resume` needs nothing but the path of the file and the working directory. */
describe("daybook resume", () => {
  const dir = scratch("resume");
  const work = join(dir, "the work");
  beforeAll(() => {
    mkdirSync(work, { recursive: true });
    write(join(dir, "codex", "sessions", "2026", "rollout-a.jsonl"), [M("01-here", { cwd: work })]);
    write(join(dir, "codex", "sessions", "2026", "rollout-b.jsonl"), [M("01-gone", { cwd: join(dir, "gone") })]);
    write(join(dir, "codex", "archived_sessions", "rollout-c.jsonl"), [M("01-put-away", { cwd: work })]);
  });

  async function run(...words: string[]): Promise<Ran> {
    const ran: Ran = { code: 0, out: "", err: "", started: [] };
    const io: Io = {
      out: (text) => void (ran.out += text),
      err: (text) => void (ran.err += text),
      env: { HOME: "/nowhere" },
      now: Date.UTC(2026, 11, 31),
      columns: 100,
      outIsTerminal: false,
      errIsTerminal: false,
      inIsTerminal: true,
      runInTerminal: async (...call) => {
        ran.started.push(call);
        return 7;
      },
    };
    ran.code = await main(["resume", ...words, "--root", `codex=${join(dir, "codex")}`], io);
    return ran;
  }

  it("prints the agent's command that continues the session", async () => {
    const command = `cd '${work}' && codex resume 01-here`;
    expect(await run("01-here")).toEqual({ code: 0, out: `${command}\n`, err: "", started: [] });
    const { code, out } = await run("01-here", "--json");
    expect({ code, ...(JSON.parse(out) as object) }).toEqual({
      code: 0,
      schema_version: 1,
      source: "codex",
      session_id: "01-here",
      dir: work,
      command,
      argv: ["codex", "resume", "01-here"],
      note: null,
      refused: null,
      why: null,
    });
  });

  it("--exec runs the command in the session's directory, and exits with its code", async () => {
    const ran = await run("01-here", "--exec");
    expect(ran).toEqual({ code: 7, out: "", err: "", started: [[["codex", "resume", "01-here"], work]] });
  });

  it.each([
    ["01-gone", "is not there"],
    ["01-put-away", "codex unarchive 01-put-away"],
  ])("refuses to continue %s, with the reason: %s", async (id, why) => {
    const ran = await run(id, "--exec");
    expect(ran).toMatchObject({ code: 1, out: "", started: [] });
    expect(ran.err).toContain(why);
    const json = await run(id, "--exec", "--json");
    expect(json).toMatchObject({ code: 1, err: "", started: [] });
    expect(JSON.parse(json.out)).toMatchObject({ command: null, why: expect.stringContaining(why) as string });
  });
});
