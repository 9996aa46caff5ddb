import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import { goose } from "./source.ts";
import { readSession } from "./read.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { discover, FIXTURE, makeDatabase, readRef, request, response, says, text } from "./testing.ts";

const refs = discover([FIXTURE]).refs;
const session = (id: string) => {
  const ref = refs.find((each) => each.key === id);
  if (!ref) throw new Error(`no session ${id}`);
  return ref;
};
const draftOf = (id: string) =>
  buildDraft(session(id), id, readSession(session(id), null, { detail: "full" }), { ledger: false, toolDetail: true });

describe("the genuine store of 1.34.0", () => {
  it("lists every session once, with a stamp of its own", () => {
    expect(refs).toHaveLength(10);
    expect(new Set(refs.map((ref) => ref.stamp)).size).toBe(10);
    expect(refs.every((ref) => goose.recognises(ref) && goose.sessionId(ref) === ref.key)).toBe(true);
  });

  it("distinguishes prompts from tool results with the same role", () => {
    const entries = readRef(session("20261115_2"));
    expect(entries).toHaveLength(12);
    expect(prompts(entries)).toEqual([
      "prompt: First question: list the files. [lab:ls]",
      "prompt: Second question, with a failure. [lab:fail]",
      'prompt: Third question\nover two lines, with "quotes" and ünïcödé ✓ [lab:think]',
    ]);
    expect(bodies(entries, "tool_finished").map((body) => [body.status, body.exit_code])).toEqual([
      ["ok", 0],
      ["failed", 3],
    ]);
    expect(bodies(entries, "session_renamed")).toMatchObject([{ title: "labchat", by: "human" }]);
    expect(bodies(entries, "context")).toMatchObject([{ model: "lab-model", approval_policy: "auto" }]);
  });

  it("assigns the session's tokens to the only turn, or to none of several", () => {
    const several = draftOf("20261115_2");
    expect(several.usage).toMatchObject([{ output_tokens: 13255, input_tokens: 96385, turn: null }]);
    const single = draftOf("20261115_4");
    expect(single.usage).toMatchObject([{ response_id: "goose/20261115_4", output_tokens: 5319, turn: 0 }]);
  });

  it("has no usage for sessions without stated tokens, and their turns are open", () => {
    for (const id of ["20261115_6", "20261115_8", "20261115_11", "20261115_12", "20261115_13"]) {
      const draft = draftOf(id);
      expect(draft.usage).toEqual([]);
      expect(draft.turns.map((turn) => turn.outcome)).toEqual(["open"]);
    }
  });

  it("settles calls by the tool's response, with files and truncation", () => {
    expect(bodies(readRef(session("20261115_5")), "tool_finished")).toMatchObject([
      { status: "failed", exit_code: null },
    ]);
    expect(bodies(readRef(session("20261115_4")), "tool_finished")[0]?.files).toEqual([
      { path: "note.txt", operation: "created" },
    ]);
    expect(bodies(readRef(session("20261115_7")), "tool_finished")[0]?.truncated).toBe(true);
  });

  it("has no unknown or unreadable records, no drift, and unique identities", () => {
    const seen = new Set<string>();
    for (const ref of refs) {
      const reading = readSession(ref, null, { detail: "full" });
      for (const entry of reading) {
        expect(["unknown", "corrupt"]).not.toContain(entry.class);
        if (entry.identity === undefined) continue;
        expect(seen.has(entry.identity)).toBe(false);
        seen.add(entry.identity);
      }
      expect(reading.drift()).toMatchObject({ unknownTypes: {}, unknownFields: {} });
      expect(Object.keys(reading.drift().versions)).toEqual(["schema 13"]);
    }
  });

  it("can stop after any row and resume with the same result", () => {
    for (const ref of refs) {
      const whole = readRef(ref);
      for (let stop = 1; stop <= whole.length; stop++) {
        const reading = readSession(ref, null, { detail: "full" });
        const head = [];
        for (const entry of reading) {
          head.push(entry);
          if (head.length === stop) break;
        }
        const certain = head.filter((entry) => !entry.tentative);
        const cursor = JSON.parse(JSON.stringify(reading.cursor())) as ReturnType<typeof reading.cursor>;
        expect(cursor.line).toBe(certain.length);
        expect([...certain, ...readRef(ref, {}, cursor)]).toEqual(whole);
      }
    }
  });

  it("gives the same classes, usage and prompts at lean detail", () => {
    for (const ref of refs) {
      const full = readRef(ref);
      const lean = readRef(ref, { detail: "lean" });
      expect(lean.map((entry) => [entry.class, entry.reason])).toEqual(
        full.map((entry) => [entry.class, entry.reason]),
      );
      expect(bodies(lean, "usage")).toEqual(bodies(full, "usage"));
      expect(prompts(lean)).toEqual(prompts(full));
    }
  });
});

describe("copied and rewritten sessions", () => {
  it("inherit copied messages, and only new messages are their own", () => {
    const messages = [
      { id: "m1", content: [text("one")] },
      { id: "m2", ...says("done") },
    ];
    const own = [...messages, { id: "m3", content: [text("two")], at: 50 }];
    const path = makeDatabase([
      { id: "20260601_1", messages },
      { id: "20260601_2", messages: own },
    ]);
    const [first, second] = discover([path]).refs;
    if (!first || !second) throw new Error("no sessions");
    const known = new Set(readRef(first).flatMap((entry) => entry.identity ?? []));
    const copy = readRef(second, { inherited: known });
    expect(copy.map((entry) => entry.class)).toEqual(["session", "inherited", "inherited", "trigger"]);
  });

  it("are read from the start if the rows before the cursor were rewritten", () => {
    const before = makeDatabase([
      { messages: [{ id: "a", content: [text("one")] }, request("c"), response("c", {}), says("x")] },
    ]);
    const after = makeDatabase([{ messages: [{ id: "z", content: [text("other")], at: 0 }, says("y"), says("w")] }]);
    const [old] = discover([before]).refs;
    const [now] = discover([after]).refs;
    if (!old || !now) throw new Error("no session");
    const reading = readSession(old, null, { detail: "full" });
    for (const entry of reading) if (entry.line === 3) break;
    expect(readRef(now, {}, reading.cursor()).map((entry) => entry.line)).toEqual([1, 2, 3, 4]);
  });
});
