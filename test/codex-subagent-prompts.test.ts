import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";

// Genuine sessions, see test/fixtures/README.md: a human wrote into the thread of a sub-agent, from a terminal or through
// the protocol of editors; in two others only the parent wrote to it, twice.
const STORE = fileURLToPath(new URL("./fixtures/codex-subagent-prompts/", import.meta.url));
const book = new Daybook({ roots: { codex: [STORE] }, env: {}, home: "/nowhere", timezone: "UTC" });

/** The turns of a session, with the output tokens that the scripted model served for them. */
async function told(session: string): Promise<string[]> {
  const turns = (await book.turns()).filter(({ session_id }) => session_id.startsWith(session));
  return turns.map(
    ({ trigger, usage }) => `${trigger.kind}: ${trigger.text?.replace(/ \[lab:.*\]$/u, "")}: ${usage.output_tokens}`,
  );
}

describe("a prompt in the thread of a sub-agent is the human's", () => {
  it("if an editor put its context before it (0.130)", async () => {
    expect(await told("01a1ef01-19c3")).toEqual([
      "queued: Typed to the helper while it works.: 919",
      "prompt: Typed to the helper when it is idle.: 1843",
    ]);
    // Without the context nothing tells it from a message of the parent, so the parent's request owns it.
    expect(await told("01a1ef01-1949")).toEqual(["prompt: Delegate this please.: 2753"]);
  });

  it("if no other agent started its task, with or without context (0.169)", async () => {
    expect(await told("01a1ef01-d13d")).toEqual([
      "queued: Typed to the helper while it works.: 929",
      "prompt: Typed to the helper when it is idle.: 1863",
      "prompt: Typed without any context.: 933",
    ]);
  });

  it("if the terminal gave it an id, also in the task of the parent (0.169)", async () => {
    expect(await told("01a1ef04-40f2")).toEqual([
      "queued: Typed to the helper by the human.: 967",
      "prompt: Typed to the helper when it was idle.: 970",
    ]);
  });

  it("and not if its parent sent it, the first time or later", async () => {
    expect(await told("01a1ef02-e469")).toEqual([]);
    expect(await told("01a1ef02-f7a9")).toEqual([]);
    expect(await told("01a1ef02-e392")).toEqual(["prompt: Send twice.: 4687"]);
    expect(await told("01a1ef02-f6dd")).toEqual(["prompt: Send twice.: 4777"]);
  });

  it("and what it caused is counted once", async () => {
    const audit = await book.audit();
    expect(audit.balanced).toBe(true);
    expect(audit.sessions.map(({ owners }) => owners.unowned)).toEqual(Array.from(audit.sessions, () => 0));
  });
});
