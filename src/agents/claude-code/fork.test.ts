import { join } from "node:path";
import type { Native } from "../kit/native.ts";
import { bodies } from "../kit/testing.ts";
import { assistant, classes, fixtures, result, SESSION, text, tool, user } from "./testing.ts";
import { quickUsage } from "./usage.ts";
import { describe, expect, it } from "vitest";

const { read, readPath, refOf, scratch, writeSession } = fixtures;

describe("the owner of a copied history", () => {
  /** The origins that the headers state one after another; null where a header states none. */
  const origins = (...records: Native[]): (string | null)[] =>
    bodies(read(records), "session_meta").map(({ forked_from: from = null }) => from);
  const of = (session: string): Native => user("x", { sessionId: session });
  const withoutId = (fields: Native): Native => ({ type: "summary", ...fields });

  it("is the session that the last of the leading copies names", () => {
    expect(origins(of("oldest"), of("oldest"), of("parent"), of("parent"), of(SESSION))).toEqual(["oldest", "parent"]);
    expect(origins(of("parent"), of("oldest"))).toEqual(["parent", "oldest"]);
  });

  it("is none if the first record is the session's own, and records after that are no copies", () => {
    expect(origins(of(SESSION), of("other"))).toEqual([null]);
    expect(origins(of("parent"), of(SESSION), of("other"))).toEqual(["parent"]);
  });

  it("is not named by records that are not part of the conversation", () => {
    expect(origins(withoutId({ sessionId: "other" }), of(SESSION))).toEqual([null, null]);
    expect(origins(of("parent"), withoutId({ sessionId: "other" }), of(SESSION))).toEqual(["parent"]);
  });

  it("may be stated by the records themselves, as an object or an id", () => {
    const stated = (forkedFrom: unknown): Native => user("x", { forkedFrom });
    expect(origins(stated({ sessionId: "parent", messageUuid: "u" }), of(SESSION))).toEqual(["parent"]);
    expect(origins(stated("parent"), of(SESSION))).toEqual(["parent"]);
    expect(origins(stated("oldest"), stated("parent"), of(SESSION))).toEqual(["oldest", "parent"]);
  });

  it("is none for a subagent: its records name its parent's session", () => {
    const path = join(scratch(), SESSION, "subagents", "agent-a1.jsonl");
    const side = (session: string): Native => user("x", { sessionId: session, isSidechain: true });
    const [head] = bodies(readPath(writeSession([side("other"), side("another")], path)), "session_meta");
    expect([head?.kind, head?.forked_from ?? null]).toEqual(["subagent", null]);
    // Older releases wrote its file beside those of sessions.
    expect(bodies(read([side("other"), side("another")]), "session_meta")).toMatchObject([
      { kind: "subagent", parent: { session_id: "other" } },
    ]);
  });
});

describe("a subagent forked from its parent's conversation (2.1.325)", () => {
  it("begins with its own task; the response and result that started it are inherited", () => {
    const side = { isSidechain: true, agentId: "a1" };
    const path = writeSession(
      [
        { type: "fork-context-ref", agentId: "a1", parentSessionId: SESSION, parentLastUuid: "u", contextLength: 9 },
        assistant([tool("t0", "Agent")], { id: "m0", stop: "tool_use", usage: { output_tokens: 7 } }, side),
        user(
          [
            result("t0", "Fork started"),
            text("<fork-boilerplate>\nYou are a fork.\n</fork-boilerplate>\n\nYour directive: count the lines"),
          ],
          side,
        ),
        assistant([tool("t1", "Bash")], { id: "m1", stop: "tool_use", usage: { output_tokens: 8 } }, side),
      ],
      join(scratch(), SESSION, "subagents", "agent-a1.jsonl"),
    );
    const entries = readPath(path);
    expect(classes(entries)).toEqual(["session", "inherited", "reaction", "reaction"]);
    expect(bodies(entries, "user").map((one) => [one.author, one.text])).toEqual([["agent", "count the lines"]]);
    expect(bodies(entries, "tool_started").map((one) => one.call_id)).toEqual(["t1"]);
    expect(bodies(entries, "tool_finished")).toEqual([]);
    expect(bodies(entries, "usage").map((one) => one.verdict)).toEqual(["inherited", "counted"]);
    // The quick count looks at single lines and cannot tell which of them are inherited: it declines the file.
    expect(quickUsage(refOf(path), {}, () => undefined)).toBeNull();
  });
});
