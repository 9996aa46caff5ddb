import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { makeDatabase, request, response, says, T0, text } from "../../src/sources/goose/testing.ts";
import { answers, differences, open, scratch, type Roots } from "./fixture.ts";

/** What one machine did on a day: a session, and the delegate it sent. Goose counts both from 1. */
function machine(name: string, hour: number, tokens: number): string {
  const at = (minute: number) => `2026-11-14 ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}:00`;
  const stated = {
    accumulated_input_tokens: tokens,
    accumulated_output_tokens: 1,
    accumulated_total_tokens: tokens + 1,
  };
  const row = (minute: number) => ({ working_dir: `/${name}`, created_at: at(minute), updated_at: at(59), ...stated });
  const from = Date.UTC(2026, 10, 14, hour) / 1000 - T0;
  const child = { content: [text("3")], isError: false, _meta: { subagent_session_id: "20261114_2" } };
  const answersOf = [
    { content: [text(`ask ${name}`)] },
    request("c1", "delegate"),
    response("c1", { status: "success", value: child }),
    says(`done ${name}`),
  ];
  const spread = answersOf.map((message, i) => ({ ...message, id: `${name}-${i}`, at: from + i }));
  const task = [{ id: `${name}-task`, at: from + 1, content: [text(`count for ${name}`)] }];
  return makeDatabase(
    [
      { id: "20261114_1", row: row(0), messages: spread },
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

describe("two machines that counted to the same session id", () => {
  it("are told apart, with their families and what they spent", async () => {
    const [late, early] = [machine("late", 14, 7000), machine("early", 9, 100)];
    const roots = { goose: [late, early] };
    expect(await answersOf(roots)).toEqual(BOTH);
    const book = scratch("book");
    expect(await answersOf(roots, book)).toEqual(BOTH);
    expect(differences(await answers(open(roots)), await answers(open(roots, book)))).toEqual([]);
  });

  it("keep the names they were read under first", async () => {
    const [late, early] = [machine("late", 14, 7000), machine("early", 9, 100)];
    const book = scratch("book");
    await open({ goose: [late] }, book).sync();
    await open({ goose: [early] }, book).sync();
    const names = async (): Promise<unknown> => {
      const daybook = open({ goose: [late, early] }, book);
      const found = (await daybook.sessions()).map((session) => [session.session_id, session.project]).toSorted(byText);
      daybook.close();
      return found;
    };
    const given = [
      ["20261114_1", "late"],
      ["20261114_1-090000", "early"],
      ["20261114_2", "late"],
      ["20261114_2-090100", "early"],
    ];
    expect(await names()).toEqual(given);
    // The index is lost, and with it what was noted; the book knows the names.
    IndexStore.discard(book);
    expect(await names()).toEqual(given);
  });

  it("are one when one store is a copy of the other", async () => {
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
