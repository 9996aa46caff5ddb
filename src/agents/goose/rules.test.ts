import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { readSession } from "./read.ts";
import {
  T0,
  discover,
  makeDatabase,
  read,
  request,
  response,
  says,
  text,
  type MadeMessage,
  type MadeRows,
} from "./testing.ts";

const prompt = (words: string, at?: number): MadeMessage => ({
  content: [text(words)],
  ...(at === undefined ? {} : { at }),
});

function draftOf(session: MadeRows, version = 17) {
  const [ref] = discover([makeDatabase([session], version)]).refs;
  if (!ref) throw new Error("no session");
  const reading = readSession(ref, null, { detail: "full" });
  return buildDraft(ref, ref.key ?? "", reading, { ledger: false, toolDetail: true });
}

describe("reading visible and hidden messages", () => {
  it("does not treat the turn context of a prompt as a summary, even after a compaction (1.52.0)", () => {
    const context = (agent: boolean): MadeMessage => ({
      content: [text("<turn-context>\n<current-time>2026-06-01 08:00</current-time>\n</turn-context>")],
      seen: [false, agent],
      about: { turnContext: true },
    });
    const entries = read({
      messages: [
        { content: [text("old question")], seen: [true, false] },
        context(false),
        { ...says("old answer"), seen: [true, false] },
        { content: [text("summary")], seen: [false, true] },
        { content: [text("/compact")], seen: [true, false] },
        { ...says("Compaction complete"), seen: [true, false] },
        { content: [text("new question")] },
        context(true),
        says("new answer"),
      ],
    });
    expect(prompts(entries)).toEqual(["prompt: old question", "command: /compact", "prompt: new question"]);
    expect(bodies(entries, "compacted").map((body) => body.summary)).toEqual(["summary"]);
  });

  it("counts a prompt once that a compaction hid and repeated", () => {
    const entries = read({
      messages: [
        { content: [text("old question")], seen: [true, false] },
        { ...says("old answer"), seen: [true, false] },
        { content: [text("latest question")], seen: [false, false] },
        { content: [text("summary of it all")], seen: [false, true] },
        { role: "assistant", content: [text("go on from here")], seen: [false, true] },
        { content: [text("latest question")] },
        says("latest answer"),
      ],
    });
    expect(prompts(entries)).toEqual(["prompt: old question", "prompt: latest question"]);
    expect(entries.map((entry) => entry.class)).toEqual([
      "session",
      "trigger",
      "reaction",
      "trigger",
      "reaction",
      "reaction",
      "echo",
      "reaction",
    ]);
    expect(bodies(entries, "compacted")).toEqual([
      { type: "compacted", trigger: "unknown", summary: "summary of it all" },
    ]);
    expect(bodies(entries, "assistant_finished").map((body) => body.text)).toEqual(["old answer", "latest answer"]);
  });

  it("does not treat the hidden summary of an earlier compaction as a prompt", () => {
    const entries = read({
      messages: [prompt("q"), { content: [text("first summary")], seen: [false, false] }, says("a")],
    });
    expect(prompts(entries)).toEqual(["prompt: q"]);
  });

  it("distinguishes commands handled by a model from those of the client", () => {
    const entries = read({
      messages: [
        { content: [text("/review main")], seen: [true, false] },
        { content: [text("Please review the branch main …")], seen: [false, true] },
        says("reviewed"),
        { content: [text("/clear")], seen: [true, false] },
        { content: [text("/etc/hosts looks wrong")] },
        { content: [text("/compact")], seen: [true, false] },
      ],
    });
    expect(prompts(entries)).toEqual(["command: /review main", "prompt: /etc/hosts looks wrong", "command: /compact"]);
    expect(entries[4]).toMatchObject({ class: "session", reason: "goose.user.local_command" });
  });
});

describe("the author of a prompt", () => {
  it("is the parent agent in a sub-agent session", () => {
    const draft = draftOf({
      row: { session_type: "sub_agent", parent_session_id: "20260601_9" },
      messages: [prompt("count"), says("3")],
    });
    expect(draft.meta).toMatchObject({ kind: "subagent", parent: { session_id: "20260601_9" } });
    expect(draft.turns.map((turn) => [turn.delegated, turn.trigger.text, turn.outcome])).toEqual([
      [true, "count", "completed"],
    ]);
  });

  it("is the recipe for the first prompt of a scheduled run", () => {
    const entries = read({
      row: { session_type: "scheduled", schedule_id: "s" },
      messages: [prompt("recipe"), says("ok"), prompt("why?")],
    });
    expect(prompts(entries)).toEqual(["prompt: why?"]);
    expect(bodies(entries, "user")[0]).toMatchObject({ author: "source", text: "recipe" });
  });

  it("is human for a recipe run as a command; the entry follows the session type", () => {
    const recipe = JSON.stringify({ title: "t", prompt: "do the recipe" });
    expect(prompts(read({ row: { recipe_json: recipe }, messages: [prompt("do the recipe")] }))).toEqual([
      "command: do the recipe",
    ]);
    const entry = (type: string): unknown =>
      bodies(read({ row: { session_type: type }, messages: [prompt("x")] }), "user")[0]?.entry;
    expect([entry("acp"), entry("terminal"), entry("user")]).toEqual(["ide", "interactive", "unknown"]);
  });

  it("is human for an answer to a question, which starts no turn", () => {
    const data = { actionType: "elicitationResponse", id: "e", user_data: { colour: "blue" } };
    const entries = read({
      messages: [prompt("go"), says("?"), { content: [{ type: "actionRequired", data }] }, says("blue it is")],
    });
    expect(prompts(entries)).toHaveLength(1);
    expect(bodies(entries, "user")[1]).toMatchObject({ author: "human", text: '{"colour":"blue"}' });
  });
});

const ok = (value: unknown): Record<string, unknown> => ({ status: "success", value });

describe("outcomes of tool calls and turns", () => {
  it.each([
    ["ok", ok({ content: [text("fine")], isError: false })],
    ["ok", ok([text("older: the value is the list itself")])],
    ["failed", ok({ content: [text("boom")], isError: true })],
    ["failed", ok({ content: [], structuredContent: { exit_code: 2 } })],
    ["failed", { status: "error", error: "-32002: no such tool" }],
    ["denied", ok([text("The user has declined to run this tool. DO NOT attempt…")])],
    ["interrupted", { status: "error", error: "Interrupted by the user to make a correction" }],
  ])("include status %s for %j", (status, result) => {
    const entries = read({ messages: [prompt("go"), request("c1"), response("c1", result)] });
    expect(bodies(entries, "tool_finished")).toMatchObject([{ call_id: "c1", status }]);
  });

  it("include a failure for a malformed call without a response", () => {
    const node = { type: "toolRequest", id: "c1", toolCall: { status: "error", error: "bad json" } };
    const entries = read({ messages: [prompt("go"), { role: "assistant", content: [node] }] });
    expect(bodies(entries, "tool_finished")).toMatchObject([{ status: "failed", error: "bad json" }]);
  });

  it("include the child session of a delegate, spawned and returned", () => {
    const value = { content: [text("3")], isError: false, _meta: { subagent_session_id: "20260601_2" } };
    const links = bodies(
      read({ messages: [prompt("go"), request("c1", "delegate"), response("c1", ok(value))] }),
      "child_linked",
    );
    expect(links.map((link) => [link.child.session_id, link.phase, link.call_id])).toEqual([
      ["20260601_2", "spawned", "c1"],
      ["20260601_2", "returned", "c1"],
    ]);
  });

  it("include aborted and failed turns, recognised by their text", () => {
    const cut = draftOf({
      messages: [prompt("go"), says("Yes — what would you like me to do?"), prompt("stop"), says("ok")],
    });
    expect(cut.turns.map((turn) => turn.outcome)).toEqual(["aborted", "completed"]);
    const failed = draftOf({ messages: [prompt("go"), says("Ran into this error: 500.\n\nPlease retry")] });
    expect(failed.turns.map((turn) => turn.outcome)).toEqual(["failed"]);
  });
});

describe("schema versions", () => {
  const tokens = {
    accumulated_total_tokens: 30,
    accumulated_input_tokens: 20,
    accumulated_output_tokens: 10,
    input_tokens: 2,
    output_tokens: 1,
  };

  it.each([1, 3, 4, 6, 8, 9, 13, 14])("%i: reads messages and the session's tokens", (version) => {
    const draft = draftOf(
      { row: { ...tokens, description: "old title" }, messages: [prompt("go"), says("done")] },
      version,
    );
    expect(draft.turns.map((turn) => [turn.trigger.text, turn.outcome])).toEqual([["go", "completed"]]);
    expect(draft.usage).toMatchObject([{ input_tokens: 20, output_tokens: 10, cached_input_tokens: 0 }]);
    expect(draft.meta.title).toBe("old title");
  });

  it("14: states cached tokens separately from input", () => {
    const row = { ...tokens, accumulated_cache_read_tokens: 12, accumulated_cache_write_tokens: 3 };
    expect(draftOf({ row, messages: [prompt("go"), says("a")] }, 14).usage).toMatchObject([
      { input_tokens: 5, cached_input_tokens: 12, cache_write_tokens: 3, output_tokens: 10 },
    ]);
  });

  it("15: states each ledger row, and the remaining tokens of the session", () => {
    const draft = draftOf({
      row: { ...tokens, accumulated_input_tokens: 120, accumulated_output_tokens: 60 },
      messages: [prompt("one", 10), { ...says("a"), at: 12 }, prompt("two", 20), { ...says("b"), at: 22 }],
      ledger: [
        { created_timestamp: T0 + 12, input_tokens: 10, output_tokens: 5, model: "m1", cost_source: "estimated" },
        { created_timestamp: T0 + 22, input_tokens: 20, output_tokens: 6, cache_read_tokens: 4, model: "m2" },
        { created_timestamp: T0 + 5, input_tokens: 70, output_tokens: 40, cost_source: "carried_forward" },
      ],
    });
    expect(
      draft.usage.map((event) => [event.response_id, event.model, event.input_tokens, event.output_tokens, event.turn]),
    ).toEqual([
      ["goose/20260601_1", null, 20, 9, null],
      ["goose/20260601_1/3", null, 70, 40, null],
      ["goose/20260601_1/1", "m1", 10, 5, 0],
      ["goose/20260601_1/2", "m2", 16, 6, 1],
    ]);
    expect(draft.records.records_read).toBe(8);
  });

  it("15: assigns usage to the answer's turn, not to a prompt in the same second", () => {
    const cost = (at: number, output: number) => ({
      created_timestamp: T0 + at,
      input_tokens: 9,
      output_tokens: output,
    });
    const draft = draftOf({
      messages: [
        prompt("one", 10),
        { ...says("a"), at: 12 },
        prompt("two", 12),
        { ...says("b"), at: 15 },
        prompt("three", 20),
      ],
      ledger: [cost(12, 1), cost(15, 2), cost(20, 3)],
    });
    expect(draft.usage.map((event) => [event.output_tokens, event.turn])).toEqual([
      [1, 0],
      [2, 1],
      [3, 1],
    ]);
    const alone = draftOf({ messages: [prompt("one", 10)], ledger: [cost(10, 1)] });
    expect(alone.usage.map((event) => event.turn)).toEqual([0]);
  });

  it("16: assigns usage to the answer with the same numbers, all within a second", () => {
    const answer = (words: string, output: number): MadeMessage => ({
      ...says(words),
      at: 10,
      about: { usage: { inputTokens: 9, outputTokens: output, cacheReadTokens: 4 } },
    });
    const cost = { created_timestamp: T0 + 10, input_tokens: 9, cache_read_tokens: 4 };
    const draft = draftOf({
      messages: [prompt("one", 10), answer("a", 1), prompt("two", 10), answer("b", 2), answer("c", 1)],
      ledger: [
        { ...cost, output_tokens: 1 },
        { ...cost, output_tokens: 2 },
        { ...cost, output_tokens: 1 },
      ],
    });
    expect(draft.usage.map((event) => [event.output_tokens, event.turn])).toEqual([
      [1, 0],
      [2, 1],
      [1, 1],
    ]);
  });
});

describe("a response without text", () => {
  const outcomes = (...content: Record<string, unknown>[][]): string[] =>
    draftOf({
      messages: [prompt("go"), ...content.map((nodes): MadeMessage => ({ role: "assistant", content: nodes }))],
    }).turns.map((turn) => turn.outcome);

  it("completes its turn, but a system notification does not", () => {
    expect(outcomes([])).toEqual(["completed"]);
    expect(outcomes([{ type: "thinking", thinking: "hm", signature: "" }, text("")])).toEqual(["completed"]);
    expect(outcomes([{ type: "systemNotification", notificationType: "inlineMessage", msg: "compacting" }])).toEqual([
      "open",
    ]);
  });
});

describe("rows with malformed JSON or unknown types", () => {
  it("are reported, and reading continues", () => {
    const [ref] = discover([
      makeDatabase([
        {
          messages: [
            { content: "{not json" },
            prompt("go"),
            { role: "assistant", content: [{ type: "hologram" }] },
            { role: "oracle", content: [text("x")] },
            { role: "assistant", content: [text("half known"), { type: "hologram" }] },
          ],
        },
      ]),
    ]).refs;
    if (!ref) throw new Error("no session");
    const reading = readSession(ref, null, { detail: "full" });
    const entries = [...reading];
    expect(entries.map((entry) => entry.class)).toEqual([
      "session",
      "corrupt",
      "trigger",
      "unknown",
      "unknown",
      "reaction",
    ]);
    expect(reading.drift().unknownTypes).toEqual({ "schema 17 · content/hologram": 2, "schema 17 · role/oracle": 1 });
    expect(bodies(entries, "unreadable")).toHaveLength(1);
  });
});
