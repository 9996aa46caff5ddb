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
/** `class reason`, and the words of whoever is said to have asked. */
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
const asks = (texts: readonly string[], more: object = {}): object =>
  line("response_item", {
    type: "message",
    role: "user",
    content: texts.map((text) => ({ type: "input_text", text })),
    ...more,
  });
const by = (...types: (string | null)[]): object => ({
  internal_chat_message_metadata_passthrough: {
    content_item_metadata: types.map((type) => (type === null ? { provenance: {} } : { provenance: { type } })),
  },
});
const kindsOf = (...list: unknown[]): object => ({
  internal_chat_message_metadata_passthrough: { content_item_kinds: list },
});
/** Nothing is said of the item's provenance, and something of its kind. */
const unknownBeside = (kind: string): object => ({
  internal_chat_message_metadata_passthrough: { content_item_metadata: [{}], content_item_kinds: [kind] },
});
const echo = (message: string, more: object = {}): object => event("user_message", { message, ...more });
const shown = (text: string, thread: string): object =>
  event("item_completed", { thread_id: thread, item: { type: "UserMessage", content: [{ type: "text", text }] } });
const ENV = "<environment_context>\n<cwd>/elsewhere</cwd>\n</environment_context>";

describe("who wrote a message, where the agent wrote it down", () => {
  it.each<[record: object, expected: string]>([
    [asks(["a", "b"], by("user", "harness")), "trigger codex.response_item.provenance_user human: a"],
    [asks(["a", "b"], by("harness", "user")), "trigger codex.response_item.provenance_user human: b"],
    [asks(["a", "b"], by("user", "user")), "trigger codex.response_item.provenance_user human: a\nb"],
    [asks(["a", "b"], by("user")), "trigger codex.response_item.provenance_user human: a\nb"],
    [asks(["a"], by("harness", null)), "setup codex.provenance.generated"],
    [asks(["a", "b"], by(null, "user")), "trigger codex.response_item.provenance_user human: b"],
    [asks(["a"], by(null)), "trigger codex.response_item.unechoed human: a"],
    [asks(["a"], kindsOf("user.text")), "trigger codex.response_item.provenance_user human: a"],
    [asks(["a", "b"], kindsOf("harness.note", "user.text")), "trigger codex.response_item.provenance_user human: b"],
    [asks(["a"], kindsOf("harness.note")), "setup codex.provenance.generated"],
    [asks(["a"], unknownBeside("user.text")), "trigger codex.response_item.provenance_user human: a"],
    [asks(["a"], kindsOf(7)), "trigger codex.response_item.unechoed human: a"],
  ])("%j", (record, expected) => {
    expect(verdicts(record)).toEqual([expected]);
  });

  it("an echo of it is no second prompt, and only on the next line", () => {
    expect(verdicts(asks(["a"], by("user")), echo("a"))).toEqual([
      "trigger codex.response_item.provenance_user human: a",
      "echo codex.user_message.echo",
    ]);
    expect(verdicts(asks(["a"], by("user")), echo("b"))[1]).toBe("trigger codex.user_message.only_event human: b");
  });

  it("tells where the work is done, in what it prepared", () => {
    // Where the header does not say it.
    const [, entry] = read(meta({ cwd: undefined }), asks(["in <cwd>/x</cwd>", ENV], by("harness", "harness")));
    expect(entry?.records).toMatchObject([{ type: "context", cwd: "/elsewhere" }]);
  });
});

describe("who wrote a message, by its echo and its shape", () => {
  it.each<[lines: object[], expected: string]>([
    [[asks(["one", "two"]), echo("one\ntwo")], "trigger codex.response_item.echoed human: one\ntwo"],
    [[asks(["one ", "two"]), echo("one two")], "trigger codex.response_item.echoed human: one two"],
    [[asks([ENV, "go"]), echo("go")], "trigger codex.response_item.echoed human: go"],
    [[asks([" go "]), echo("go")], "trigger codex.response_item.echoed human:  go "],
    [[asks(["one", "two"])], "trigger codex.response_item.unechoed human: one\ntwo"],
    [[asks([`${ENV}\n\n go \n`])], "trigger codex.response_item.unwrapped human: go"],
    [[asks([`${ENV}\n<skill>s</skill> `])], `trigger codex.response_item.unechoed human: ${ENV}\n<skill>s</skill> `],
    [[asks(["words", ENV])], "setup codex.marker.environment"],
  ])("%j", (lines, expected) => {
    expect(verdicts(...lines)[0]).toBe(expected);
  });

  it("an echo alone is a prompt, unless Codex made it", () => {
    expect(verdicts(echo("go", { kind: "plain" }))).toEqual(["trigger codex.user_message.only_event human: go"]);
    expect(verdicts(echo(ENV, { kind: "environment_context" }))).toEqual(["setup codex.echo.generated.environment"]);
    expect(verdicts(echo("go", { kind: "environment_context" }))).toEqual([
      "trigger codex.user_message.only_event human: go",
    ]);
    // People paste such a text as well.
    expect(verdicts(echo(ENV))).toEqual([`trigger codex.user_message.only_event human: ${ENV}`]);
  });

  it("tells of a child that is done", () => {
    const notice = '<subagent_notification>{"agent_id":"child","status":{"completed":"x"}}</subagent_notification>';
    const [, entry] = read(META, asks([notice]));
    expect(entry).toMatchObject({ class: "reaction", reason: "codex.marker.notification" });
    expect(entry?.records).toMatchObject([{ type: "child_linked", phase: "returned" }]);
  });
});

describe("a review", () => {
  const begin = event("entered_review_mode", { user_facing_hint: "the branch" });

  it("has a prompt of Codex's own, whichever thread it names", () => {
    expect(verdicts(begin, echo("look at it"))[1]).toBe("reaction codex.review.prompt");
    expect(verdicts(begin, shown("look at it", "R"))[1]).toBe("reaction codex.review.prompt");
    expect(verdicts(begin, shown("go on", "S"))[1]).toBe("trigger codex.user_message.only_event human: go on");
    expect(verdicts(shown("go on", "R"))[0]).toBe("trigger codex.user_message.only_event human: go on");
    const [, , forwarded] = read(META, begin, shown("look at it", "R"));
    expect(forwarded?.records).toMatchObject([{ type: "child_linked", relation: "review", phase: "spawned" }]);
  });

  it("does not lend its prompt to a message of the human's", () => {
    expect(verdicts(begin, asks(["go"]), shown("go", "R"))[1]).toBe("trigger codex.response_item.unechoed human: go");
    expect(verdicts(begin, asks(["go"]), shown("go", "S")).slice(1)).toEqual([
      "trigger codex.response_item.echoed human: go",
      "echo codex.user_message.echo",
    ]);
    expect(verdicts(begin, asks(["go"]), echo("go"))[1]).toBe("trigger codex.response_item.echoed human: go");
  });

  it("shows what the reviewer does, and keeps what the session does", () => {
    const item = (thread: string | null): object =>
      event("item_completed", { ...(thread !== null && { thread_id: thread }), item: { type: "Plan" } });
    expect(verdicts(begin, item("R"))[1]).toBe("reaction codex.review.forwarded");
    expect(verdicts(begin, item("S"))[1]).toBe("reaction codex.item.plan");
    expect(verdicts(begin, item(null))[1]).toBe("reaction codex.item.plan");
    expect(verdicts(item("R"))[0]).toBe("reaction codex.item.plan");
  });
});

describe("the kind of a prompt", () => {
  const reply =
    '<send_user_message_question_reply id="1">[{"answer":"yes"},{"answer":"no"}]</send_user_message_question_reply>';

  it("is an answer, a probe, something typed into running work", () => {
    expect(kinds(META, asks([reply]))).toEqual([["answer", "interactive", "yes\nno"]]);
    const sdk = meta({ source: "vscode", originator: "codex_sdk_ts" });
    expect(kinds(sdk, asks(["go"]))).toEqual([["prompt", "sdk", "go"]]);
    expect(kinds(sdk, asks(["Reply with exactly: OK"]))).toEqual([["prompt", "automated", "Reply with exactly: OK"]]);
    expect(kinds(meta({ source: "exec" }), asks(["Reply with exactly: OK"]))).toEqual([
      ["prompt", "automated", "Reply with exactly: OK"],
    ]);
    expect(kinds(meta({ source: "exec" }), asks(["go"]), asks(["Reply with exactly: OK"]))[1]).toEqual([
      "prompt",
      "headless",
      "Reply with exactly: OK",
    ]);
    const begin = (turn: string): object => event("task_started", { turn_id: turn });
    const running = kinds(META, begin("t"), asks(["go"]), echo("go"), asks(["and"]), echo("and"));
    expect(running.map((one) => (one as string[])[0])).toEqual(["prompt", "queued"]);
    const next = kinds(META, begin("t"), asks(["go"]), echo("go"), begin("u"), asks(["and"]), echo("and"));
    expect(next.map((one) => (one as string[])[0])).toEqual(["prompt", "prompt"]);
  });

  it("is the parent's in a session that an agent started", () => {
    const child = meta({ source: { subagent: { thread_spawn: { parent_thread_id: "P" } } } });
    const entries = read(
      child,
      asks(["Automation: x\nAutomation ID: y\nLast run: never\n\ntidy"]),
      event("entered_review_mode"),
    );
    expect(entries[1]).toMatchObject({ class: "reaction", records: [{ type: "user", author: "agent" }] });
    expect(entries[2]).toMatchObject({ class: "reaction", records: [{ type: "user", author: "agent" }] });
    expect(entries[2]?.records[0]).not.toHaveProperty("kind");
  });
});
