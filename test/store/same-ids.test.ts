import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { makeDatabase, request, response, says, T0, text } from "../../src/agents/goose/testing.ts";
import { answers, differences, open, scratch, syncBook, type Roots } from "./fixture.ts";

/** The Goose database of one machine on one day: a session and the sub-agent it started. Goose numbers both from 1. */
function machine(name: string, hour: number, tokens: number): string {
  const at = (minute: number) => `2026-11-14 ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}:00`;
  const usage = {
    accumulated_input_tokens: tokens,
    accumulated_output_tokens: 1,
    accumulated_total_tokens: tokens + 1,
  };
  const row = (minute: number) => ({ working_dir: `/${name}`, created_at: at(minute), updated_at: at(59), ...usage });
  const from = Date.UTC(2026, 10, 14, hour) / 1000 - T0;
  const child = { content: [text("3")], isError: false, _meta: { subagent_session_id: "20261114_2" } };
  const contents = [
    { content: [text(`ask ${name}`)] },
    request("c1", "delegate"),
    response("c1", { status: "success", value: child }),
    says(`done ${name}`),
  ];
  const messages = contents.map((message, i) => ({ ...message, id: `${name}-${i}`, at: from + i }));
  const task = [{ id: `${name}-task`, at: from + 1, content: [text(`count for ${name}`)] }];
  return makeDatabase(
    [
      { id: "20261114_1", row: row(0), messages },
      { id: "20261114_2", row: { ...row(1), session_type: "sub_agent" }, messages: task },
    ],
    17,
    join(scratch(name), "sessions.db"),
  );
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

async function answersOf(roots: Roots, book?: string): Promise<unknown> {
  const daybook = open(roots, book);
  const sessions = await daybook.sessions();
  const turns = await daybook.turns();
  daybook.close();
  return {
    sessions: sessions
      .map((session) => [session.session_id, session.project, session.usage.input_tokens, session.parent?.session_id])
      .toSorted(byText),
    turns: turns
      .map((turn) => [turn.trigger.text, turn.project, turn.children?.map((link) => link.session_id)])
      .toSorted(byText),
  };
}

const BOTH = {
  sessions: [
    ["20261114_1", "early", 100, undefined],
    ["20261114_1-140000", "late", 7000, undefined],
    ["20261114_2", "early", 100, "20261114_1"],
    ["20261114_2-140100", "late", 7000, "20261114_1-140000"],
  ],
  turns: [
    ["ask early", "early", ["20261114_2"]],
    ["ask late", "late", ["20261114_2-140100"]],
  ],
};

describe("sessions of two machines with the same id", () => {
  it("are kept apart, with their sub-agents and usage", async () => {
    const [late, early] = [machine("late", 14, 7000), machine("early", 9, 100)];
    const roots = { goose: [late, early] };
    expect(await answersOf(roots)).toEqual(BOTH);
    const book = scratch("book");
    expect(await answersOf(roots, book)).toEqual(BOTH);
    expect(differences(await answers(open(roots)), await answers(open(roots, book)))).toEqual([]);
  });

  it("keep the ids under which they were first read", async () => {
    const [late, early] = [machine("late", 14, 7000), machine("early", 9, 100)];
    const book = scratch("book");
    await syncBook({ goose: [late] }, book);
    await syncBook({ goose: [early] }, book);
    const ids = async (): Promise<unknown> => {
      const daybook = open({ goose: [late, early] }, book);
      const found = (await daybook.sessions()).map((session) => [session.session_id, session.project]).toSorted(byText);
      daybook.close();
      return found;
    };
    const expected = [
      ["20261114_1", "late"],
      ["20261114_1-090000", "early"],
      ["20261114_2", "late"],
      ["20261114_2-090100", "early"],
    ];
    expect(await ids()).toEqual(expected);
    // Without the index, the ids come from the book.
    IndexStore.discard(book);
    expect(await ids()).toEqual(expected);
  });

  it("are one if one database is a copy of the other", async () => {
    const early = machine("early", 9, 100);
    const copy = join(scratch("copy"), "sessions.db");
    copyFileSync(early, copy);
    const book = scratch("book");
    const alone = await answersOf({ goose: [early] });
    expect(await answersOf({ goose: [early, copy] })).toEqual(alone);
    expect(await answersOf({ goose: [early] }, book)).toEqual(alone);
    rmSync(early);
    expect(await answersOf({ goose: [copy] }, book)).toEqual(alone);
  });
});
