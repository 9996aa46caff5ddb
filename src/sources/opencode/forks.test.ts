import { expect, it } from "vitest";
import { openSources, readSessions } from "../../reading/library.ts";
import { assistant, makeDatabase, T0, text, user, type MadeMessage, type MadeSession } from "./testing.ts";

/** One turn; a fork copies it with new ids and the same content. */
const turn = (words: string, at: number): MadeMessage[] => [
  { data: user(at), parts: [text(words)] },
  { data: assistant(at + 10), parts: [text(`answer to ${words}`)] },
];

function session(id: string, created: number, ...turns: [words: string, at: number][]): MadeSession {
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
    session("ses_c", 3000, ...fork, ["four", 3100]),
    session("ses_b", 1900, ...fork),
    session("ses_a", 0, ...root),
    // Forked from the first session, long after it.
    session("ses_d", 9000, ...root, ["five", 9100]),
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
