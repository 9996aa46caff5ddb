import { describe, expect, it } from "vitest";
import { openSources, readSessions } from "../../book/reading/library.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { readSession } from "./read.ts";
import { opencode } from "./source.ts";
import {
  FIXTURE,
  T0,
  assistant,
  discover,
  makeDatabase,
  readRef,
  text,
  user,
  type MadeMessage,
  type MadeRows,
} from "./testing.ts";

const refs = discover([FIXTURE]).refs;
const session = (part: string) => {
  const ref = refs.find((each) => each.key?.includes(part));
  if (!ref) throw new Error(`no session ${part}`);
  return ref;
};
const CHAT = "ses_e21fc10e4ffe";
const FORK = "ses_e21fba3c3ffe";

describe("the genuine store of 1.18.33", () => {
  it("lists every session of the database once, with a stamp of its own", () => {
    expect(refs).toHaveLength(19);
    expect(new Set(refs.map((ref) => ref.stamp)).size).toBe(19);
    expect(refs.every((ref) => ref.container === "sqlite" && opencode.recognises(ref))).toBe(true);
    expect(opencode.sessionId(session(CHAT))).toBe(session(CHAT).key);
  });

  it("yields the session, then each message followed by its parts", () => {
    const entries = readRef(session(CHAT));
    expect(entries).toHaveLength(30);
    expect(entries.map((entry) => entry.line)).toEqual(entries.map((_, i) => i + 1));
    expect(entries.slice(0, 6).map((entry) => entry.native)).toEqual([
      "session",
      "message/user",
      "part/text",
      "message/assistant",
      "part/step-start",
      "part/reasoning",
    ]);
    expect(bodies(entries, "session_meta")[0]).toMatchObject({ kind: "root", agent_version: "1.18.33" });
  });

  it("reads prompts as they were typed, not as `run` quoted them", () => {
    expect(prompts(readRef(session(CHAT)))).toEqual([
      "prompt: First question: list the files. [lab:ls]",
      "prompt: Second question, with a failure. [lab:fail]",
      'prompt: Third question\nover two lines, with "quotes" and ünïcödé ✓ [lab:think]',
    ]);
    const [trigger] = bodies(readRef(session(CHAT)), "user");
    expect(trigger?.entry).toBe("headless");
  });

  it("counts each step once, reasoning inside the output, cache outside the input", () => {
    const usage = bodies(readRef(session(CHAT)), "usage");
    expect(usage.map((body) => body.output_tokens)).toEqual([841, 857, 1026, 1046, 1177]);
    expect(usage[0]).toMatchObject({
      input_tokens: 5706,
      cached_input_tokens: 901,
      reasoning_tokens: 3,
      model: "lab-model",
    });
  });

  it("settles a completed command with a nonzero exit code as failed", () => {
    const done = bodies(readRef(session(CHAT)), "tool_finished");
    expect(done.map((body) => [body.status, body.exit_code])).toEqual([
      ["ok", 0],
      ["failed", 3],
    ]);
  });

  it.each([
    ["an unknown tool", "ses_e21faab57ffe"],
    ["malformed arguments", "ses_e21fa938dffe"],
    ["arguments that break the schema", "ses_e21fa677effe"],
  ])("settles %s as failed", (_, id) => {
    expect(bodies(readRef(session(id)), "tool_finished")[0]?.status).toBe("failed");
  });

  it("leaves a killed call unsettled and has no usage for it", () => {
    const entries = readRef(session("ses_e21f8e5d6ffe"));
    expect(bodies(entries, "tool_started")).toHaveLength(1);
    expect(bodies(entries, "tool_finished")).toEqual([]);
    expect(bodies(entries, "usage")).toEqual([]);
    expect(entries.at(-1)?.tentative).toBe(true);
  });

  it("ends the turn at an API error", () => {
    const [failed] = bodies(readRef(session("ses_e21f9ea50ffe")), "failed");
    expect(failed).toMatchObject({ code: "400", turn_ended: true, message: "lab: invalid request on purpose" });
  });

  it("counts an attached file and leaves its content out of the prompt", () => {
    const [prompt] = bodies(readRef(session("ses_e21fa03a0ffe")), "user");
    expect(prompt).toMatchObject({ text: "Explain the file. [lab:think]", attachments: 1 });
  });

  it("lists the files a call wrote", () => {
    const files = bodies(readRef(session("ses_e21fadb4effe")), "tool_finished").flatMap((body) => body.files ?? []);
    expect(files).toEqual([{ path: expect.stringContaining("note.txt"), operation: "created" }]);
  });

  it("recognises a fork's copies by identity, and counts only its own turn", () => {
    const original = readRef(session(CHAT));
    const known = new Set(original.flatMap((entry) => entry.identity ?? []));
    const fork = readRef(session(FORK), { inherited: known });
    expect(fork.filter((entry) => entry.class === "inherited")).toHaveLength(29);
    expect(prompts(fork)).toEqual(["prompt: A turn in the fork. [lab:bye]"]);
    expect(bodies(fork, "usage").map((body) => body.verdict)).toEqual([...Array(5).fill("inherited"), "counted"]);
    expect(bodies(fork, "context")).toHaveLength(1);
    const ids = bodies(original, "usage").map((body) => body.response_id);
    expect(
      bodies(fork, "usage")
        .slice(0, 5)
        .map((body) => body.response_id),
    ).toEqual(ids);
  });

  it("gives no two records of different sessions the same identity, forks aside", () => {
    const seen = new Set<string>();
    for (const ref of refs.filter((each) => each.key !== session(FORK).key))
      for (const { identity } of readRef(ref)) {
        if (identity === undefined) continue;
        expect(seen.has(identity)).toBe(false);
        seen.add(identity);
      }
  });

  it("has no unknown or unreadable records and no drift", () => {
    for (const ref of refs) {
      const reading = readSession(ref, null, { detail: "full" });
      expect([...reading].some((entry) => entry.class === "unknown" || entry.class === "corrupt")).toBe(false);
      expect(reading.drift()).toMatchObject({ unknownTypes: {}, unknownFields: {} });
    }
  });
});

describe("reading", () => {
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
        const cursor = reading.cursor();
        const certain = head.filter((entry) => !entry.tentative);
        expect(cursor.line).toBe(certain.length);
        const rest = readRef(ref, {}, JSON.parse(JSON.stringify(cursor)) as typeof cursor);
        expect([...certain, ...rest]).toEqual(whole);
      }
    }
  });

  it("gives the same classes, usage and prompts at every level of detail", () => {
    for (const ref of refs) {
      const full = readRef(ref).map(({ class: cls, reason, line }) => [cls, reason, line]);
      for (const detail of ["lean", "usage"] as const) {
        const entries = readRef(ref, { detail });
        expect(entries.map(({ class: cls, reason, line }) => [cls, reason, line])).toEqual(full);
        expect(bodies(entries, "usage")).toEqual(bodies(readRef(ref), "usage"));
        expect(prompts(entries)).toEqual(prompts(readRef(ref)));
      }
    }
  });
});

/** One turn; a fork copies it with new ids and the same content. */
const turn = (words: string, at: number): MadeMessage[] => [
  { data: user(at), parts: [text(words)] },
  { data: assistant(at + 10), parts: [text(`answer to ${words}`)] },
];

function forkedSession(id: string, created: number, ...turns: [words: string, at: number][]): MadeRows {
  const messages = turns.flatMap(([words, at]) => turn(words, at));
  return {
    id,
    info: { created: T0 + created },
    messages: messages.map((message, i) => ({ ...message, id: `msg_${id}_${i}` })),
  };
}

it("a fork of a fork names the session it was forked from, and each turn is counted once", async () => {
  const root: [string, number][] = [
    ["one", 0],
    ["two", 1000],
  ];
  const fork: [string, number][] = [...root, ["three", 2000]];
  const path = makeDatabase([
    forkedSession("ses_c", 3000, ...fork, ["four", 3100]),
    forkedSession("ses_b", 1900, ...fork),
    forkedSession("ses_a", 0, ...root),
    // Forked from the first session, long after it.
    forkedSession("ses_d", 9000, ...root, ["five", 9100]),
  ]);
  const opened = openSources({ roots: { opencode: [path] }, env: {}, home: "/nowhere" });
  const { sessions } = await readSessions(opened, { detail: "full", ledger: false, toolDetail: false });
  const summaries = sessions.map((each) => [
    each.session_id,
    each.meta.forked_from,
    each.turns.map(({ draft }) => draft.trigger.text).join(" "),
  ]);
  expect(summaries.toSorted(([a = ""], [b = ""]) => ((a ?? "") < (b ?? "") ? -1 : 1))).toEqual([
    ["ses_a", null, "one two"],
    ["ses_b", "ses_a", "three"],
    ["ses_c", "ses_b", "four"],
    ["ses_d", "ses_a", "five"],
  ]);
});
