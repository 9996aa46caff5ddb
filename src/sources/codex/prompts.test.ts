import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { codex } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "codex-prompts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

function read(...lines: object[]): Entry[] {
  const path = join(folder, `rollout-${++files}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const ref = { source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" } as const;
  return [...codex.read(ref, null, { detail: "full" })];
}
/** `class reason`, then author and text of the user record if there is one. */
const verdicts = (...lines: object[]): string[] =>
  read(META, ...lines)
    .slice(1)
    .map(({ class: cls, reason, records }) => {
      const body = records.find((one) => one.type === "user");
      return `${cls} ${reason}${body ? ` ${body.author}: ${body.text}` : ""}`;
    });
const kinds = (...lines: object[]): unknown[] =>
  read(...lines).flatMap(({ records }) =>
    records.flatMap((one) => (one.type === "user" && one.author === "human" ? [[one.kind, one.entry, one.text]] : [])),
  );

const line = (type: string, payload: object): object => ({ timestamp: "2026-05-12T08:00:00.000Z", type, payload });
const event = (type: string, payload: object = {}): object => line("event_msg", { type, ...payload });
const meta = (more: object = {}): object => line("session_meta", { id: "S", cwd: "/w", source: "cli", ...more });
const META = meta();
const userItem = (texts: readonly string[], more: object = {}): object =>
  line("response_item", {
    type: "message",
    role: "user",
    content: texts.map((text) => ({ type: "input_text", text })),
    ...more,
  });
const provenance = (...types: (string | null)[]): object => ({
  internal_chat_message_metadata_passthrough: {
    content_item_metadata: types.map((type) => (type === null ? { provenance: {} } : { provenance: { type } })),
  },
});
const kindsOf = (...list: unknown[]): object => ({
  internal_chat_message_metadata_passthrough: { content_item_kinds: list },
});
/** Metadata that states the kind of an item but not its provenance. */
const unknownBeside = (kind: string): object => ({
  internal_chat_message_metadata_passthrough: { content_item_metadata: [{}], content_item_kinds: [kind] },
});
const echo = (message: string, more: object = {}): object => event("user_message", { message, ...more });
const userMessage = (text: string, thread: string): object =>
  event("item_completed", { thread_id: thread, item: { type: "UserMessage", content: [{ type: "text", text }] } });
const ENV = "<environment_context>\n<cwd>/elsewhere</cwd>\n</environment_context>";

describe("a message with stated provenance", () => {
  it.each<[record: object, expected: string]>([
    [userItem(["a", "b"], provenance("user", "harness")), "trigger codex.response_item.provenance_user human: a"],
    [userItem(["a", "b"], provenance("harness", "user")), "trigger codex.response_item.provenance_user human: b"],
    [userItem(["a", "b"], provenance("user", "user")), "trigger codex.response_item.provenance_user human: a\nb"],
    [userItem(["a", "b"], provenance("user")), "trigger codex.response_item.provenance_user human: a\nb"],
    [userItem(["a"], provenance("harness", null)), "setup codex.provenance.generated"],
    [userItem(["a", "b"], provenance(null, "user")), "trigger codex.response_item.provenance_user human: b"],
    [userItem(["a"], provenance(null)), "trigger codex.response_item.unechoed human: a"],
    [userItem(["a"], kindsOf("user.text")), "trigger codex.response_item.provenance_user human: a"],
    [
      userItem(["a", "b"], kindsOf("harness.note", "user.text")),
      "trigger codex.response_item.provenance_user human: b",
    ],
    [userItem(["a"], kindsOf("harness.note")), "setup codex.provenance.generated"],
    [userItem(["a"], unknownBeside("user.text")), "trigger codex.response_item.provenance_user human: a"],
    [userItem(["a"], kindsOf(7)), "trigger codex.response_item.unechoed human: a"],
  ])("%j is classified as: %s", (record, expected) => {
    expect(verdicts(record)).toEqual([expected]);
  });

  it("is not repeated by an equal echo, but a different echo is another prompt", () => {
    expect(verdicts(userItem(["a"], provenance("user")), echo("a"))).toEqual([
      "trigger codex.response_item.provenance_user human: a",
      "echo codex.user_message.echo",
    ]);
    expect(verdicts(userItem(["a"], provenance("user")), echo("b"))[1]).toBe(
      "trigger codex.user_message.only_event human: b",
    );
  });

  it("states the working directory in generated text if the header does not", () => {
    const [, entry] = read(
      meta({ cwd: undefined }),
      userItem(["in <cwd>/x</cwd>", ENV], provenance("harness", "harness")),
    );
    expect(entry?.records).toMatchObject([{ type: "context", cwd: "/elsewhere" }]);
  });
});

describe("a message without stated provenance", () => {
  it.each<[lines: object[], expected: string]>([
    [[userItem(["one", "two"]), echo("one\ntwo")], "trigger codex.response_item.echoed human: one\ntwo"],
    [[userItem(["one ", "two"]), echo("one two")], "trigger codex.response_item.echoed human: one two"],
    [[userItem([ENV, "go"]), echo("go")], "trigger codex.response_item.echoed human: go"],
    [[userItem([" go "]), echo("go")], "trigger codex.response_item.echoed human:  go "],
    [[userItem(["one", "two"])], "trigger codex.response_item.unechoed human: one\ntwo"],
    [[userItem([`${ENV}\n\n go \n`])], "trigger codex.response_item.unwrapped human: go"],
    [
      [userItem([`${ENV}\n<skill>s</skill> `])],
      `trigger codex.response_item.unechoed human: ${ENV}\n<skill>s</skill> `,
    ],
    [[userItem(["words", ENV])], "setup codex.marker.environment"],
  ])("%j is classified as: %s", (lines, expected) => {
    expect(verdicts(...lines)[0]).toBe(expected);
  });

  it("is a prompt if only its echo exists, unless that is marked and built as generated", () => {
    expect(verdicts(echo("go", { kind: "plain" }))).toEqual(["trigger codex.user_message.only_event human: go"]);
    expect(verdicts(echo(ENV, { kind: "environment_context" }))).toEqual(["setup codex.echo.generated.environment"]);
    expect(verdicts(echo("go", { kind: "environment_context" }))).toEqual([
      "trigger codex.user_message.only_event human: go",
    ]);
    // Without that mark, a human may have pasted the text.
    expect(verdicts(echo(ENV))).toEqual([`trigger codex.user_message.only_event human: ${ENV}`]);
  });

  it("links a child session that has finished", () => {
    const notice = '<subagent_notification>{"agent_id":"child","status":{"completed":"x"}}</subagent_notification>';
    const [, entry] = read(META, userItem([notice]));
    expect(entry).toMatchObject({ class: "reaction", reason: "codex.marker.notification" });
    expect(entry?.records).toMatchObject([{ type: "child_linked", phase: "returned" }]);
  });
});

describe("a review", () => {
  const begin = event("entered_review_mode", { user_facing_hint: "the branch" });

  it("has a prompt of Codex's own, unless it names the thread of the session", () => {
    expect(verdicts(begin, echo("look at it"))[1]).toBe("reaction codex.review.prompt");
    expect(verdicts(begin, userMessage("look at it", "R"))[1]).toBe("reaction codex.review.prompt");
    expect(verdicts(begin, userMessage("go on", "S"))[1]).toBe("trigger codex.user_message.only_event human: go on");
    expect(verdicts(userMessage("go on", "R"))[0]).toBe("trigger codex.user_message.only_event human: go on");
    const [, , forwarded] = read(META, begin, userMessage("look at it", "R"));
    expect(forwarded?.records).toMatchObject([{ type: "child_linked", relation: "review", phase: "spawned" }]);
  });

  it("does not take the reviewer's message as the echo of a human prompt", () => {
    expect(verdicts(begin, userItem(["go"]), userMessage("go", "R"))[1]).toBe(
      "trigger codex.response_item.unechoed human: go",
    );
    expect(verdicts(begin, userItem(["go"]), userMessage("go", "S")).slice(1)).toEqual([
      "trigger codex.response_item.echoed human: go",
      "echo codex.user_message.echo",
    ]);
    expect(verdicts(begin, userItem(["go"]), echo("go"))[1]).toBe("trigger codex.response_item.echoed human: go");
  });

  it("distinguishes the reviewer's items from those of the session", () => {
    const item = (thread: string | null): object =>
      event("item_completed", { ...(thread !== null && { thread_id: thread }), item: { type: "Plan" } });
    expect(verdicts(begin, item("R"))[1]).toBe("reaction codex.review.forwarded");
    expect(verdicts(begin, item("S"))[1]).toBe("reaction codex.item.plan");
    expect(verdicts(begin, item(null))[1]).toBe("reaction codex.item.plan");
    expect(verdicts(item("R"))[0]).toBe("reaction codex.item.plan");
  });
});

describe("the kind and entry of a prompt", () => {
  const reply =
    '<send_user_message_question_reply id="1">[{"answer":"yes"},{"answer":"no"}]</send_user_message_question_reply>';

  it("distinguish answers, SDK prompts, probes and queued prompts", () => {
    expect(kinds(META, userItem([reply]))).toEqual([["answer", "interactive", "yes\nno"]]);
    const sdk = meta({ source: "vscode", originator: "codex_sdk_ts" });
    expect(kinds(sdk, userItem(["go"]))).toEqual([["prompt", "sdk", "go"]]);
    expect(kinds(sdk, userItem(["Reply with exactly: OK"]))).toEqual([
      ["prompt", "automated", "Reply with exactly: OK"],
    ]);
    expect(kinds(meta({ source: "exec" }), userItem(["Reply with exactly: OK"]))).toEqual([
      ["prompt", "automated", "Reply with exactly: OK"],
    ]);
    expect(kinds(meta({ source: "exec" }), userItem(["go"]), userItem(["Reply with exactly: OK"]))[1]).toEqual([
      "prompt",
      "headless",
      "Reply with exactly: OK",
    ]);
    const begin = (turn: string): object => event("task_started", { turn_id: turn });
    const running = kinds(META, begin("t"), userItem(["go"]), echo("go"), userItem(["and"]), echo("and"));
    expect(running.map((one) => (one as string[])[0])).toEqual(["prompt", "queued"]);
    const next = kinds(META, begin("t"), userItem(["go"]), echo("go"), begin("u"), userItem(["and"]), echo("and"));
    expect(next.map((one) => (one as string[])[0])).toEqual(["prompt", "prompt"]);
  });

  it("are missing in a subagent session, where an agent is the author", () => {
    const child = meta({ source: { subagent: { thread_spawn: { parent_thread_id: "P" } } } });
    const entries = read(
      child,
      userItem(["Automation: x\nAutomation ID: y\nLast run: never\n\ntidy"]),
      event("entered_review_mode"),
    );
    expect(entries[1]).toMatchObject({ class: "reaction", records: [{ type: "user", author: "agent" }] });
    expect(entries[2]).toMatchObject({ class: "reaction", records: [{ type: "user", author: "agent" }] });
    expect(entries[2]?.records[0]).not.toHaveProperty("kind");
  });
});
