import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SessionEvents } from "../src/doors/cli/commands/sync.ts";
import { at, CA, CU, toolUse, write, type Line } from "./cases/build.ts";
import { NOW, served } from "./http/serving.ts";
import { scratch } from "./store/fixture.ts";

const ID = "afdd07c5-0f97-4e09-afed-217bd92f1981";

/** A file of Claude Code 2.1.327 about one of its processes, without what is not used. */
function stateOf(status: string, time: number, more: object = {}): string {
  const state = { pid: 2402, sessionId: ID, version: "2.1.327", kind: "interactive", status, ...more };
  return JSON.stringify({ ...state, updatedAt: time, statusUpdatedAt: time });
}

/** Hand-written: a call that waits for permission; what the process says of itself is genuine. */
describe("a permission prompt that waits", async () => {
  const config = scratch("claude");
  const states = join(config, "sessions");
  const lately = (line: Line): Line => at(new Date(NOW).toISOString(), line);
  const call = CA([toolUse("t1", "Bash", { command: "rm -r x" })], { stop: "tool_use" });
  write(join(config, "projects/-srv-app", `${ID}.jsonl`), [CU("clean up"), call].map(lately));
  mkdirSync(states);
  const { ask, daybook } = await served({ roots: { "claude-code": [config] } });
  const waits = { waitingFor: "permission prompt" };

  interface Now {
    running: { session_id: string }[];
    waiting: { kind: string; session_id: string }[];
  }

  const now = async (): Promise<[running: string[], waiting: string[]]> => {
    const { running, waiting } = (await (await ask("/api/now")).json()) as Now;
    return [running.map(({ session_id }) => session_id), waiting.map(({ kind }) => kind)];
  };

  it("shows as waiting, not as running, while its agent says so", async () => {
    expect(await now()).toEqual([[ID], []]);
    writeFileSync(join(states, "2402.json"), stateOf("busy", NOW + 1));
    expect(await now()).toEqual([[ID], []]);
    writeFileSync(join(states, "2402.json"), stateOf("waiting", NOW + 2, waits));
    expect(await now()).toEqual([[], ["open"]]);
    // Another process has resumed the session of one that was killed.
    writeFileSync(join(states, "1701.json"), stateOf("busy", NOW + 3));
    expect(await now()).toEqual([[ID], []]);
    rmSync(join(states, "1701.json"));
    writeFileSync(join(states, "1701.json"), "{");
    expect(await now()).toEqual([[], ["open"]]);
  });

  it("is an event", async () => {
    writeFileSync(join(states, "2402.json"), stateOf("waiting", NOW + 2, waits));
    const events = await new SessionEvents(daybook, 0).of([
      { source: "claude-code", session_id: ID, change: "changed" },
    ]);
    expect(events).toMatchObject([{ kind: "waiting", text: "permission prompt", request: "clean up" }]);
  });
});
