import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Daybook } from "../../src/answers/daybook.ts";
import { at, CA, CU, write } from "../cases/build.ts";
import { open, scratch, type Roots } from "./fixture.ts";

/** Two sessions with no record in common that both state the response `msg_shared`; the first of them has it. */
function sharing(): Roots {
  const root = scratch("claude");
  for (const [name, hour, own] of [
    ["first", "08", 1],
    ["second", "09", 2],
  ] as const) {
    const lines = [
      CU(`go ${name}`),
      CA("shared", { id: "msg_shared", output: 100 }),
      CA("own", { id: `msg_${name}`, output: own, stop: "end_turn" }),
    ];
    write(
      join(root, "projects/-nowhere-app", `${name}.jsonl`),
      lines.map((line) => at(`2026-05-12T${hour}:00:00.000Z`, line)),
    );
  }
  return { "claude-code": [root] };
}

async function outputOf(daybook: Daybook): Promise<Record<string, number>> {
  const sessions = await daybook.sessions();
  return Object.fromEntries(sessions.map(({ session_id, usage }) => [session_id, usage.output_tokens]));
}

describe("a response that two sessions state", () => {
  it("counts for the other one when the session that had it is forgotten", async () => {
    const daybook = open(sharing(), scratch("home"));
    expect(await outputOf(daybook)).toEqual({ first: 101, second: 2 });
    await daybook.forget(await daybook.forgetPlan({ sessions: ["first"] }));
    expect(await outputOf(daybook)).toEqual({ second: 102 });
    daybook.close();
  });
});
