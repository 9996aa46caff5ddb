import { join } from "node:path";
import type { RecordBody } from "../../record/record.ts";
import type { Entry } from "../contract.ts";
import type { Native } from "../kit/native.ts";
import { assistant, fixtures, record, result, SESSION, text, tool, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { read, readPath, scratch, writeSession } = fixtures;

/** Class and rule of each entry, `?` if it is tentative, and its canonical records in short form. */
function verdicts(...records: unknown[]): string[] {
  return read(records).map(line);
}

function subagentVerdicts(...records: unknown[]): string[] {
  return readPath(writeSession(records, join(scratch(), SESSION, "subagents", "agent-a1.jsonl"))).map(line);
}

function line({ class: cls, reason, tentative, records }: Entry): string {
  const bodies = records.map(short).filter((one) => one !== "");
  return [`${cls}${tentative ? "?" : ""} ${reason.slice("claude.".length)}`, ...bodies].join(" | ");
}

/** Empty for records that these tests do not check, such as settings and usage. */
function short(body: RecordBody): string {
  switch (body.type) {
    case "user": {
      const { author, kind, entry, text: words, attachments } = body;
      return [author, kind, entry === "unknown" ? undefined : entry, `"${words}"`, attachments]
        .filter(Boolean)
        .join(" ");
    }
    case "assistant_finished":
      return body.turn_ended ? `ended${body.text}` : body.text === "" ? "said nothing" : "said something";
    case "cancelled":
      return `cancelled ${body.reason}`;
    case "compacted":
      return `compacted ${body.trigger} ${body.summary}`;
    case "tool_finished":
      return `${body.call_id} ${body.status}${body.output ? ` ${JSON.stringify(body.output)}` : ""}`;
    case "child_linked":
      return `child ${body.child?.session_id}`;
    default:
      return "";
  }
}

const go = user("go");
const reply = (): Native => assistant([text("done")], { stop: "end_turn" });
const placeholder = (): Native => assistant([text("No response requested.")], { model: "<synthetic>" });
const envelope = (name: string): string =>
  `<command-name>/${name}</command-name><command-message>${name}</command-message>`;
const expanding = (name: string): string =>
  `<command-message>${name}</command-message><command-name>/${name}</command-name>`;
const printed = (words: string): string => `<local-command-stdout>${words}</local-command-stdout>`;
const caveat = (): Native => user("<local-command-caveat>c</local-command-caveat>", { isMeta: true });
const system = (subtype: string, more: Native = {}): Native => record("system", { subtype, ...more });
const side = (words: string): Native => user(words, { isSidechain: true });
const attachment = (type: string, more: Native = {}, fields: Native = {}): Native =>
  record("attachment", { attachment: { type, ...more }, ...fields });
const progress = (type: string, more: Native = {}, fields: Native = {}): Native =>
  record("progress", { data: { type, ...more }, ...fields });
const bare = (type: string, more: Native = {}): Native => ({ type, sessionId: SESSION, ...more });
const named = user('<system-reminder>\nThe user named this session "x".</system-reminder>', { isMeta: true });
const marker = (more: Native = {}): Native => user([text("[Request interrupted by user]")], more);
const boundary = (trigger?: string): Native =>
  system("compact_boundary", trigger === undefined ? {} : { compactMetadata: { trigger } });
const summary = (words = "so far"): Native => user(words, { isCompactSummary: true });

describe("a slash command with an unknown name", () => {
  const local = 'session command.local | human "/mine"';
  const model = 'trigger command.model | human command "/mine"';
  const tentativeModel = model.replace("trigger", "trigger?");
  const tentativeLocal = local.replace("session", "session?");

  it.each<[string, string, Native[]]>([
    ["a response", model, [reply()]],
    ["an assistant record without a message", model, [record("assistant")]],
    ["a placeholder response and a prompt", local, [placeholder(), go]],
    ["a tool result", model, [user([result("t", "x")])]],
    ["its expansion in a meta record", model, [user("Do it.", { isMeta: true })]],
    ["the caveat of another command and a response", local, [caveat(), reply()]],
    ["a session-name reminder and a prompt", local, [named, go]],
    ["a sidechain record and a response", model, [side("x"), reply()]],
    ["command output and a response", local, [user(printed("x")), reply()]],
    [
      "command output in a system record and a response",
      local,
      [system("local_command", { content: printed("x") }), reply()],
    ],
    ["an informational record and a response", model, [system("informational", { content: "x" }), reply()]],
    ["the end of the file", tentativeLocal, []],
    ["a malformed line", tentativeLocal, ["{" as unknown as Native]],
    [
      "a response within the lookahead limit",
      model,
      [...Array.from({ length: 47 }, () => bare("mode", { mode: "x" })), reply()],
    ],
    [
      "a response beyond the lookahead limit",
      local,
      [...Array.from({ length: 48 }, () => bare("mode", { mode: "x" })), reply()],
    ],
  ])("with its name first is classified by what follows: %s", (_, first, rest) => {
    expect(verdicts(user(envelope("mine")), ...rest)[0]).toBe(first);
  });

  it.each<[string, string, Native[]]>([
    ["another prompt", model, [go]],
    ["a placeholder response and another prompt", model, [placeholder(), go]],
    ["command output and another prompt", local, [user(printed("x")), go]],
    ["command output and the end of the file", tentativeLocal, [user(printed("x"))]],
    ["command output and a response", model, [user(printed("x")), reply()]],
    ["command output in a system record and another prompt", local, [system("local_command", { content: "x" }), go]],
    ["an informational record and another prompt", model, [system("informational", { content: "x" }), go]],
    ["the end of the file", tentativeModel, []],
    ["the caveat of another command and another prompt", model, [caveat(), go]],
  ])("with its message first is classified by what follows: %s", (_, first, rest) => {
    expect(verdicts(user(expanding("mine")), ...rest)[0]).toBe(first);
  });

  it("is local if it is built in, and a trigger if its record begins a turn or holds its expansion", () => {
    expect(verdicts(user(envelope("model")), reply())[0]).toBe('session command.local | human "/model"');
    expect(verdicts(user(envelope("mine"), { turnOrigin: "human" }))).toEqual([model]);
    expect(verdicts(user([text(envelope("mine")), text("Do it.")]))).toEqual([model]);
    expect(verdicts(user([{ type: "image" }, text(envelope("mine")), text("Do it.")]))[0]).toMatch(
      /^trigger user\.plain/,
    );
    expect(verdicts(user([text(envelope("mine")), { type: "image" }, text("Do it.")]))).toEqual([model]);
  });

  it("is not a trigger because a session-name reminder follows, unless other text precedes it", () => {
    const note = (words: string): string | undefined =>
      verdicts(user(envelope("mine")), user(words, { isMeta: true }), go)[0]?.split(" ")[0];
    expect(note("\n <system-reminder>The user named this session x.</system-reminder>")).toBe("session");
    expect(note("See <system-reminder>The user named this session x.</system-reminder>")).toBe("trigger");
  });

  it("owns its output only if it is a trigger", () => {
    const output = (...before: Native[]): string | undefined => verdicts(...before, user(printed("x"))).at(-1);
    const note = `source "${printed("x")}"`;
    expect(output(user(envelope("mine"), { turnOrigin: "human" }))).toBe(`reaction user.command_output | ${note}`);
    expect(output(go, user(envelope("model")))).toBe(`session user.command_output | ${note}`);
    expect(output(user(envelope("mine"), { turnOrigin: "human" }), user(envelope("model")))).toMatch(/^session/);
    expect(output(user(envelope("mine"), { turnOrigin: "human" }), reply(), go)).toMatch(/^session/);
    expect(output(go)).toMatch(/^session/);
  });
});

describe("compaction", () => {
  const local = 'session command.local | human "/compact"';
  const model = 'trigger command.compact | human command "/compact"';

  it.each<[string, string, Native[]]>([
    ["a boundary", model, [boundary("manual")]],
    ["a summary", model, [summary()]],
    ["a system record with error output", local, [system("local_command", { content: printed("Error: x") })]],
    ["a system record with success output", model, [system("local_command", { content: printed("Compacted") })]],
    ["a system record without text", model, [system("local_command")]],
    ["an informational record and error output", local, [system("informational"), user(printed("Error: x"))]],
    ["a meta record and error output", local, [user("x", { isMeta: true }), user(printed("Error: x"))]],
    ["a sidechain record and error output", local, [side("x"), user(printed("Error: x"))]],
    ["a meta record and success output", model, [user("x", { isMeta: true }), user(printed("Compacted"))]],
    ["a sidechain record and success output", model, [side("x"), user(printed("Compacted"))]],
    ["success output", model, [user(printed("Compacted"))]],
    ["another prompt", local, [go]],
    ["the end of the file", model.replace(" ", "? "), []],
  ])("by /compact is classified by what follows the command: %s", (_, first, rest) => {
    expect(verdicts(user(envelope("compact")), ...rest)[0]).toBe(first);
  });

  it("by /compact ends with the output of the command", () => {
    const [, output, request] = verdicts(
      user(envelope("compact")),
      user(printed("Compacted")),
      bare("api-request"),
      go,
    );
    expect(output).toBe(`reaction user.command_output | source "${printed("Compacted")}" | ended`);
    expect(request).toBe("setup request.before_prompt");
  });

  it.each<[string, string, Native[]]>([
    ["/compact", "setup", [user(envelope("compact")), user(printed("Compacted"))]],
    ["a meta record and /compact", "setup", [user("x", { isMeta: true }), user(envelope("compact"))]],
    ["a sidechain record and /compact", "setup", [side("x"), user(envelope("compact"))]],
    ["another command", "session", [user(envelope("mine"))]],
    ["a custom command", "session", [user(expanding("mine"))]],
    ["a prompt and /compact", "session", [user("x"), user(envelope("compact"))]],
    ["a response and /compact", "session", [reply(), user(envelope("compact"))]],
    ["the end of the file", "session?", []],
  ])("gives a caveat before %s the class %s", (_, cls, rest) => {
    expect(verdicts(go, caveat(), ...rest)[1]).toMatch(`${cls} command.caveat`);
  });

  const note = `| compacted manual`;
  it.each<[string, string, Native[]]>([
    ["a summary and /compact", `setup compact.before_command ${note} so far`, [summary(), user(envelope("compact"))]],
    ["a caveat and /compact", `setup compact.before_command ${note} null`, [caveat(), user(envelope("compact"))]],
    [
      "a sidechain record and /compact",
      `setup compact.before_command ${note} null`,
      [side("x"), user(envelope("compact"))],
    ],
    [
      "a meta record and /compact",
      `reaction compact.boundary ${note} null`,
      [user("x", { isMeta: true }), user(envelope("compact"))],
    ],
    [
      "a summary and a response",
      `reaction compact.boundary ${note} so far`,
      [summary(), reply(), user(envelope("compact"))],
    ],
    [
      "a summary and a prompt",
      `reaction compact.boundary ${note} so far`,
      [summary(), user("x"), user(envelope("compact"))],
    ],
    ["a summary and another command", `reaction compact.boundary ${note} so far`, [summary(), user(envelope("mine"))]],
    ["a summary and the end of the file", `reaction? compact.boundary ${note} so far`, [summary()]],
  ])("classifies a manual boundary by what follows: %s", (_, first, rest) => {
    expect(verdicts(go, boundary("manual"), ...rest)[1]).toBe(first);
  });

  it("makes an automatic boundary, or one after /compact, a reaction", () => {
    expect(verdicts(go, boundary("auto"), summary(), user(envelope("compact")))[1]).toBe(
      "reaction compact.boundary | compacted auto so far",
    );
    expect(verdicts(go, boundary("auto"), user(envelope("compact")))[1]).toBe(
      "reaction compact.boundary | compacted auto null",
    );
    expect(verdicts(go, boundary(), reply())[1]).toBe("reaction compact.boundary | compacted unknown null");
    expect(verdicts(go, boundary("other"), reply())[1]).toBe("reaction compact.boundary | compacted unknown null");
    const [, behind] = verdicts(user(envelope("compact")), boundary("manual"), summary(), user(envelope("compact")));
    expect(behind).toBe("reaction compact.boundary | compacted manual so far");
  });

  it("by /compact is certain after its boundary, and unrelated records in between are ignored", () => {
    expect(verdicts(go, boundary("manual"), summary(), user(envelope("compact"))).at(-1)).toBe(model);
    expect(verdicts(go, boundary("auto"), bare("mode", { mode: "x" }), summary(), reply())[1]).toMatch("so far");
    expect(verdicts(user(envelope("compact")), user(printed("Compacted")), system("turn_duration")).at(-1)).toMatch(
      "ended",
    );
  });

  it("takes a summary as part of the boundary before it, or else as a compaction of its own", () => {
    expect(verdicts(go, boundary("auto"), summary(), summary("again")).slice(2)).toEqual([
      'reaction compact.summary | source "so far"',
      "reaction compact.summary | compacted unknown again",
    ]);
    const before = [boundary("manual"), summary(), user(envelope("compact"))];
    expect(verdicts(go, ...before, summary("again")).slice(2)).toEqual([
      'setup compact.summary | source "so far"',
      'trigger command.compact | human command "/compact"',
      "reaction compact.summary | compacted unknown again",
    ]);
    expect(verdicts(summary())).toEqual(["setup compact.summary | compacted unknown so far"]);
    expect(verdicts(user("so far", { isVisibleInTranscriptOnly: true }))).toEqual([
      "setup compact.summary | compacted unknown so far",
    ]);
    expect(subagentVerdicts(user("so far", { isCompactSummary: true, isSidechain: true }))).toEqual([
      'reaction sidechain.injected | source "so far"',
    ]);
  });
});

describe("a refused tool call", () => {
  const refusal = (more: Native = {}): Native =>
    user([result("t", "The user doesn't want to proceed with this tool use.", { is_error: true })], more);
  const calls = assistant([tool("t", "Bash")], { stop: "tool_use" });

  it.each<[string, string, Native[]]>([
    [
      "an interrupt marker that names a message",
      "reaction tool_result | t interrupted",
      [marker({ interruptedMessageId: "m" })],
    ],
    ["an interrupt marker that names no message", "reaction tool_result | t denied", [marker()]],
    ["a prompt", "reaction tool_result | t denied", [user("no", { interruptedMessageId: "m" })]],
    ["a response and a marker", "reaction tool_result | t denied", [reply(), marker({ interruptedMessageId: "m" })]],
    [
      "a turn duration and a marker",
      "reaction tool_result | t denied",
      [system("turn_duration"), marker({ interruptedMessageId: "m" })],
    ],
    [
      "an informational record and a marker",
      "reaction tool_result | t interrupted",
      [system("informational"), marker({ interruptedMessageId: "m" })],
    ],
    [
      "an attachment and a marker",
      "reaction tool_result | t interrupted",
      [attachment("todo"), marker({ interruptedMessageId: "m" })],
    ],
    [
      "a sidechain record and a marker",
      "reaction tool_result | t interrupted",
      [side("x"), marker({ interruptedMessageId: "m" })],
    ],
    [
      "another tool result and a marker",
      "reaction tool_result | t interrupted",
      [user([result("t2", "x")]), marker({ interruptedMessageId: "m" })],
    ],
    ["the end of the file", "reaction? tool_result | t denied", []],
  ])("is denied or interrupted depending on what follows: %s", (_, first, rest) => {
    expect(verdicts(go, calls, refusal(), ...rest)[2]?.replace(/ "The user.*/, "")).toBe(first);
  });

  it("is interrupted in a headless run, where nobody can refuse", () => {
    expect(verdicts(go, calls, refusal({ entrypoint: "sdk-cli" }))[2]).toMatch("reaction tool_result | t interrupted");
  });
});

describe("a request copy", () => {
  const before = [go, reply(), system("turn_duration", { durationMs: 5 })];
  const ofNextTurn = "setup request.before_prompt";
  const ofLastTurn = "reaction request.copy";

  it.each<[string, string, Native[]]>([
    ["a prompt", ofNextTurn, [user("next")]],
    ["a sidechain record and a prompt", ofNextTurn, [side("x"), user("next")]],
    [
      "a generated-looking text with human origin",
      ofNextTurn,
      [user("Stop hook feedback:\nx", { origin: { kind: "human" } })],
    ],
    ["a text with another origin", ofLastTurn, [user("next", { origin: { kind: "peer" } })]],
    ["a response and a prompt", ofLastTurn, [reply(), user("next")]],
    ["an attachment and a prompt", ofLastTurn, [attachment("todo"), user("next")]],
    ["a mode record and a response", ofLastTurn, [bare("mode", { mode: "x" }), reply()]],
    ["a meta record and a prompt", ofLastTurn, [user("x", { isMeta: true }), user("next")]],
    ["a tool result and a prompt", ofLastTurn, [user([result("t", "x")]), user("next")]],
    ["an interrupt marker and a prompt", ofLastTurn, [marker(), user("next")]],
    ["a generated text and a prompt", ofLastTurn, [user("Stop hook feedback:\nx"), user("next")]],
    ["the end of the file", "reaction? request.copy", []],
  ])("after a finished turn is classified by what follows: %s", (_, copy, rest) => {
    expect(verdicts(...before, bare("api-request"), ...rest)[3]).toBe(copy);
  });

  it("belongs to a running turn, and in a subagent file to the subagent", () => {
    expect(verdicts(go, bare("api-request"), user("next"))[1]).toBe(ofLastTurn);
    expect(verdicts(bare("api-request"), go)[0]).toBe("setup request.before_first_prompt");
    expect(subagentVerdicts(bare("api-request"), side("x"))[0]).toBe(ofLastTurn);
    for (const again of [
      attachment("queued_command", { prompt: "x", commandMode: "task-notification" }),
      attachment("queued_command", { prompt: "x", commandMode: "prompt" }),
      user("<task-notification>x</task-notification>"),
      user("Stop hook feedback:\nx"),
    ])
      expect(verdicts(...before, again, bare("api-request"), user("next"))[4]).toBe(ofLastTurn);
    const inline = attachment("queued_command", { prompt: "x", commandMode: "prompt" }, { isSidechain: true });
    expect(verdicts(...before, inline, bare("api-request"), user("next"))[4]).toBe(ofNextTurn);
    expect(verdicts(go, marker(), bare("api-request"), user("next"))[2]).toBe(ofNextTurn);
  });
});

describe("a queued prompt", () => {
  const at = (second: number): Native => ({
    timestamp: new Date(Date.UTC(2026, 4, 12, 9, 0, 0, second * 1000)).toISOString(),
  });
  const queue = (operation: string, content?: string): Native => bare("queue-operation", { operation, content });
  const taken = (prompt: unknown, more: Native = {}): string | undefined =>
    verdicts(go, attachment("queued_command", { prompt, commandMode: "prompt", ...more }))[1];

  it("in an attachment is classified by its text, mode and origin", () => {
    expect(taken("x")).toBe('trigger queued.absorbed | human queued "x"');
    expect(taken("ls", { commandMode: "bash" })).toBe('trigger queued.absorbed | human queued "!ls"');
    expect(taken(envelope("mine"))).toBe('trigger queued.absorbed | human queued "/mine"');
    expect(taken([{ type: "image" }])).toBe('trigger queued.absorbed | human queued "" 1');
    expect(taken(" ")).toBe('reaction queued.empty | source " "');
    expect(taken("x", { commandMode: "task-notification" })).toBe('reaction queued.task_notification | source "x"');
    expect(taken("x", { isMeta: true })).toBe('reaction queued.meta | source "x"');
    expect(taken("x", { origin: { kind: "peer" } })).toBe('reaction queued.other_origin | agent "x"');
    const reminder = "<system-reminder>x</system-reminder> y";
    expect(taken(reminder)).toBe('trigger queued.absorbed | human queued "y"');
    expect(taken(reminder, { origin: { kind: "human" } })).toBe(`trigger queued.absorbed | human queued "${reminder}"`);
    const feedback = "Stop hook feedback:\nx";
    expect(taken(feedback)).toBe(`reaction queued.hook_feedback | source "${feedback}"`);
    expect(taken(feedback, { origin: { kind: "human" } })).toBe(`trigger queued.absorbed | human queued "${feedback}"`);
    const [, lean] = read([go, attachment("queued_command", { prompt: "x", isMeta: true })], { detail: "lean" });
    expect(lean && line(lean)).toBe('reaction queued.meta | source ""');
  });

  it("is not repeated by a user record with its id, or with its text within ten seconds", () => {
    const absorbed = attachment("queued_command", { prompt: "x", commandMode: "prompt", source_uuid: "s" }, at(20));
    const again = (words: string, more: Native): string | undefined => verdicts(go, absorbed, user(words, more))[2];
    const echo = "echo queued.repeated";
    const anew = (words: string): string => `trigger user.plain | human prompt "${words}"`;
    expect(again("y", { uuid: "s", ...at(100) })).toBe(echo);
    expect(again("x", at(30))).toBe(echo);
    expect(again("x", at(10))).toBe(echo);
    expect(again("x", at(30.001))).toBe(anew("x"));
    expect(again("y", at(20))).toBe(anew("y"));
    expect(again("x", { timestamp: undefined })).toBe(anew("x"));
    expect(again("x", { uuid: undefined, ...at(100) })).toBe(anew("x"));
  });

  const busy = [go, assistant([tool("t", "Bash")], { stop: "tool_use" })];
  const absorbed = (words: string): string => `trigger queue.absorbed | human queued "${words}"`;

  it("is removed by its text, or else the oldest of at most 32 is", () => {
    const two = [...busy, queue("enqueue", "two"), queue("enqueue", "three")];
    expect(verdicts(...two, queue("remove", "three"), queue("remove"), reply()).slice(4, 6)).toEqual([
      absorbed("three"),
      absorbed("two"),
    ]);
    expect(verdicts(...two, queue("remove", "other"), reply())[4]).toBe(absorbed("two"));
    expect(verdicts(...two, queue("remove", "two"), queue("remove"), reply())[5]).toBe(absorbed("three"));
    expect(verdicts(...two, queue("dequeue"), queue("remove"), reply())[5]).toBe(absorbed("three"));
    expect(verdicts(...two, queue("popAll"), queue("remove"), reply())[5]).toBe("session queue.remove");
    expect(verdicts(...two, queue("other"), queue("remove"), reply())[5]).toBe(absorbed("two"));
    const many = Array.from({ length: 33 }, (_, n) => queue("enqueue", `n${n}`));
    expect(verdicts(...busy, ...many, queue("remove"), reply())[35]).toBe(absorbed("n1"));
  });

  it("affects later records like any other prompt", () => {
    const two = [...busy, queue("enqueue", "two"), queue("remove"), reply()];
    expect(verdicts(...two, attachment("todo")).at(-1)).toBe("reaction attachment.todo");
    expect(verdicts(...two, user(printed("x"))).at(-1)).toMatch(/^session user\.command_output/);
  });

  it("is no trigger if it is empty, if no turn is running, or in a subagent file", () => {
    const plain = "session queue.remove";
    expect(verdicts(...busy, queue("enqueue"), queue("remove"), reply())[3]).toBe(plain);
    expect(verdicts(...busy, queue("enqueue", " "), queue("remove"), reply())[3]).toBe(plain);
    expect(verdicts(...busy, queue("remove"), reply())[2]).toBe(plain);
    expect(verdicts(go, reply(), queue("enqueue", "two"), queue("remove"), reply())[3]).toBe(plain);
    expect(subagentVerdicts(side("x"), queue("enqueue", "two"), queue("remove"), reply())[2]).toBe(plain);
    expect(verdicts(bare("queue-operation"))[0]).toBe("session queue.other");
  });

  it("is left to the attachment if one comes before the next response", () => {
    const two = [...busy, queue("enqueue", "two"), queue("remove")];
    const verdictAfterTwo = (...rest: Native[]): string | undefined => verdicts(...two, ...rest)[3];
    expect(verdictAfterTwo(user([result("t", "x")]), attachment("todo"))).toBe("session queue.remove");
    expect(read([...two, attachment("todo")])[3]?.records).toEqual([]);
    expect(verdictAfterTwo(reply(), attachment("todo"))).toBe(absorbed("two"));
    expect(verdictAfterTwo(user([result("t", "x")]))).toBe(absorbed("two").replace(" ", "? "));
    // What follows belongs to the absorbed prompt, and a user record with the same text does not repeat it.
    const entries = read([
      user("go", { promptId: "p1" }),
      ...two.slice(1),
      user([result("t", "x")], { promptId: "p1" }),
    ]);
    expect(entries.at(-1)?.turnId).toBeUndefined();
    const removed = [...two.slice(0, 3), { ...queue("remove"), ...at(20) }, reply()];
    expect(verdicts(...removed, user("two", at(20))).at(-1)).toBe("echo queued.repeated");
  });

  it("is a tentative trigger if it is human and no conversation follows, as in a killed run", () => {
    const killed = (words: string, ...rest: Native[]): string | undefined =>
      verdicts(queue("enqueue", words), queue("dequeue"), ...rest)[1];
    const only = 'trigger? queue.only | human prompt "x"';
    expect(killed("x")).toBe(only);
    expect(killed("x", bare("mode", { mode: "y" }))).toBe(only);
    expect(killed("x", ...Array.from({ length: 48 }, () => bare("mode", { mode: "y" })))).toBe("session queue.dequeue");
    for (const words of ["", " ", "/usage", "Stop hook feedback:\nx"])
      expect(killed(words)).toBe("session queue.dequeue");
    expect(killed("a/")).toBe('trigger? queue.only | human prompt "a/"');
    expect(verdicts(queue("dequeue"))).toEqual(["session queue.dequeue"]);
    expect(subagentVerdicts(queue("enqueue", "x"), queue("dequeue"))[1]).toBe("session queue.dequeue");
    expect(verdicts(queue("enqueue", "x"), queue("dequeue"), bare("api-request"))[2]).toBe("reaction? request.copy");
  });

  it("has the kind queued if it was enqueued in a terminal and its record names no source", () => {
    const later = (more: Native, ...queued: Native[]): string | undefined =>
      verdicts(go, ...queued, user("x", more)).at(-1);
    const cli = { entrypoint: "cli" };
    expect(later(cli, queue("enqueue", "x"))).toBe('trigger user.plain | human queued interactive "x"');
    expect(later(cli, queue("enqueue"))).toBe('trigger user.plain | human prompt interactive "x"');
    expect(later(cli, queue("popAll", "x"))).toBe('trigger user.plain | human prompt interactive "x"');
    expect(later({ entrypoint: "sdk-cli" }, queue("enqueue", "x"))).toBe(
      'trigger user.plain | human prompt headless "x"',
    );
    expect(later({ ...cli, promptSource: "typed" }, queue("enqueue", "x"))).toMatch("human prompt interactive");
  });
});

describe("a user record", () => {
  const first = (content: unknown, more: Native = {}): string | undefined => verdicts(user(content, more))[0];

  it("has an entry derived from its entrypoint, and may be a probe", () => {
    const entries = ["cli", "sdk-cli", "sdk-ts", "SDK-PY", "claude-vscode", "claude-desktop", "web"];
    expect(entries.map((entrypoint) => first("x", { entrypoint }))).toEqual([
      'trigger user.plain | human prompt interactive "x"',
      'trigger user.plain | human prompt headless "x"',
      'trigger user.plain | human prompt sdk "x"',
      'trigger user.plain | human prompt sdk "x"',
      'trigger user.plain | human prompt ide "x"',
      'trigger user.plain | human prompt ide "x"',
      'trigger user.plain | human prompt "x"',
    ]);
    expect(read([user("x", { entrypoint: "web" })])[0]?.records.at(-1)).toMatchObject({ entry: "unknown" });
    expect(first("ping", { entrypoint: "sdk-ts" })).toBe('trigger automation.probe | human prompt automated "ping"');
    for (const words of [" Warmup\n", "/usage"]) expect(first(words)).toBe(`session user.probe | source "${words}"`);
  });

  it("has an author derived from its origin, source and role", () => {
    expect(first("x", { turnOrigin: "hook" })).toMatch(/^setup user\.turn_origin_/);
    expect(read([user("x", { promptId: "p" })])[0]?.records.at(-1)).toMatchObject({
      type: "user",
      native_turn_id: "p",
    });
    expect(first("x", { sourceToolUseID: "t" })).toBe('setup user.tool_expansion | source "x"');
    expect(verdicts(user("x", { message: { content: "x" } }))).toEqual(['trigger user.plain | human prompt "x"']);
    expect(verdicts(user("x", { message: null }))).toEqual(['setup user.other_role | source ""']);
    expect(first("x", { origin: { kind: "peer" } })).toBe('reaction user.origin_peer | agent "x"');
    const notice = "<task-notification><task-id>b1</task-id></task-notification>";
    expect(verdicts(go, user(notice, { origin: { kind: "task-notification" } }))[1]).toBe(
      `reaction user.origin_task_notification | source "${notice}"`,
    );
    const agent =
      '<agent-notification>\n<agent-id>ad9c6de</agent-id>\n<status>completed</status>\n<summary>Agent "Look" completed.</summary>\n</agent-notification>';
    expect(verdicts(go, user(agent, { origin: { kind: "task-notification" } }))[1]).toMatch("child agent-ad9c6de");
    expect(verdicts(go, user(agent, { promptSource: "system" }))[1]).toMatch("prompt_source_system");
    expect(first("x", { promptSource: "system", origin: { kind: "human" } })).toMatch("trigger user.prompt_source_");
    expect(first("x", { turnOrigin: "hook", origin: { kind: "human" } })).toMatch("trigger user.origin_human");
    expect(verdicts(go, side("Stop hook feedback:\nx"), side("x")).slice(1)).toEqual([
      'reaction sidechain.injected | source "Stop hook feedback:\nx"',
      'reaction sidechain.task | agent "x"',
    ]);
    expect(verdicts(go, marker({ isSidechain: true }))[1]).toBe("reaction sidechain.interrupt");
    expect(first("<local-command-caveat>c</local-command-caveat>")).toMatch("session? command.caveat");
  });

  it("is stripped of generated text, unless its source and entrypoint prove that it was typed", () => {
    const reminder = "<system-reminder>r</system-reminder>\nx";
    const typed = { promptSource: "typed" };
    expect(first(reminder)).toMatch('"x"');
    expect(first(reminder, { entrypoint: "cli" })).toMatch('"x"');
    expect(first(reminder, { ...typed, entrypoint: "cli" })).toMatch(reminder);
    expect(first(reminder, { ...typed, entrypoint: "claude-vscode" })).toMatch('"x"');
    const feedback = "<system-reminder>r</system-reminder>\nStop hook feedback:\nx";
    expect(first(feedback)).toMatch(/^setup user\.hook_feedback/);
    expect(first(feedback, typed)).toMatch('human prompt "Stop hook');
    expect(first("Stop hook feedback:\nx", typed)).toMatch(/^trigger/);
    expect(first("PROGRESS SUMMARY CHECKPOINT", { promptSource: "sdk" })).toMatch("user.observer_feed | agent");
    expect(first("PROGRESS SUMMARY CHECKPOINT", typed)).toMatch(/^trigger/);
  });

  it("is a plan handover if it begins with the plan phrase or has plan content", () => {
    const plan = "Implement the following plan:  \n\n1. x";
    const rule = (words: string, more: Native = {}): string | undefined => first(words, more)?.split(" | ")[0];
    expect(first(plan)).toMatch("trigger user.plan_handover | human command");
    expect(rule("x", { planContent: "y" })).toBe("trigger user.plan_handover");
    expect(rule(plan, { promptSource: "typed" })).toBe("trigger user.prompt_source_typed");
    expect(rule(`Please ${plan}`)).toBe("trigger user.plain");
  });

  it("is a queued prompt with human text beside a tool result", () => {
    const beside = (words: unknown[], more: Native = {}): string | undefined =>
      verdicts(go, user([result("t", "x"), ...words], more))[1]
        ?.split(" | ")
        .slice(2)
        .join(" | ");
    expect(beside([text("no")])).toBe('human queued "no"');
    expect(beside([text(" ")])).toBe("");
    expect(beside([text("no")], { isMeta: true })).toBe("");
    expect(beside([text("no")], { origin: { kind: "peer" } })).toBe("");
    const sentence = "The user doesn't want to proceed with this tool use.";
    expect(beside([text(sentence)])).toBe(`human queued "${sentence}"`);
    const quoted = verdicts(go, user([result("t", `It says: ${sentence}`), text("no")]))[1];
    expect(quoted).toMatch('human queued "no"');
    expect(beside([{ type: "text" }])).toBe("");
    expect(beside([{ type: "other", text: "[Request interrupted by user]" }])).toBe("");
    // A second record with the same parent is not taken for a rewind here.
    const twice = [
      user([result("t", "x"), text("no")], { parentUuid: "p" }),
      user([result("t", "x"), text("no")], { parentUuid: "p" }),
    ];
    expect(verdicts(go, ...twice).join()).not.toMatch("rewound");
  });

  it("has another class before the first prompt and in a subagent file", () => {
    expect(verdicts(user("Stop hook feedback:\nx"))[0]).toMatch(/^setup/);
    expect(verdicts(go, user("Stop hook feedback:\nx"))[1]).toMatch(/^reaction/);
    expect(verdicts(user("<teammate-message>x</teammate-message>"))[0]).toMatch(
      /^reaction user\.teammate_message \| agent/,
    );
    expect(subagentVerdicts(user("x"), user("y", { isMeta: true }))).toEqual([
      'reaction sidechain.task | agent "x"',
      'reaction sidechain.injected | source "y"',
    ]);
  });

  it("is a rewind only if it repeats the turn position of a prompt with the same parent", () => {
    const at = (turnIndex: number): Native => ({ turnPosition: { turnIndex } });
    const isRewind = (...records: Native[]): boolean => verdicts(...records).some((one) => one.includes("rewound"));
    expect(isRewind(user("a", at(0)), user("b", at(0)))).toBe(true);
    expect(isRewind(user("a", at(0)), user("b", at(1)))).toBe(false);
    expect(isRewind(user("a"), user("b"))).toBe(false);
    expect(isRewind(user("a", { parentUuid: "p", ...at(0) }), user("b", { parentUuid: "q", ...at(0) }))).toBe(false);
  });
});

it("the task of a forked subagent is the text after the fork boilerplate", () => {
  const task = (words: string): string | undefined =>
    subagentVerdicts(bare("fork-context-ref", { agentId: "a1" }), user([text(words)], { isSidechain: true }))[1];
  expect(task("<fork-boilerplate>x</fork-boilerplate>\n\nYour directive: count")).toBe(
    'reaction sidechain.task | agent "count"',
  );
  expect(task("<fork-boilerplate>x</fork-boilerplate>count")).toBe('reaction sidechain.task | agent "count"');
  expect(task("count")).toBe('reaction sidechain.task | agent "count"');
});

describe("an interrupt", () => {
  const response = (id: string): Native => assistant([tool("t", "Bash")], { id, stop: "tool_use" });
  const cut = (id: string | undefined, ...between: Native[]): string | undefined => {
    const records = [user("a", { promptId: "p1" }), response("m1"), user("b", { promptId: "p2" }), ...between];
    return read([...records, marker({ promptId: "p2", interruptedMessageId: id })]).at(-1)?.turnId;
  };

  it("belongs to the previous turn only if it names that turn's response", () => {
    expect(cut("m1")).toBe("p1");
    expect(cut("m1", response("m1"))).toBe("p2");
    expect(cut("m1", response("m2"))).toBe("p1");
    expect(cut("m2", response("m2"))).toBe("p2");
    expect(cut("m3")).toBe("p2");
    expect(cut(undefined)).toBe("p2");
    const unanswered = [
      user("a", { promptId: "p1" }),
      user("b", { promptId: "p2" }),
      response("m2"),
      marker({ promptId: "p2" }),
    ];
    expect(read(unanswered).at(-1)?.turnId).toBe("p2");
    const first = read([
      response("m1"),
      user("b", { promptId: "p2" }),
      marker({ promptId: "p2", interruptedMessageId: "m1" }),
    ]);
    expect(first.at(-1)?.turnId).toBe("p2");
  });

  it("ends its turn, and no later record completes it", () => {
    const ends = (...records: Native[]): boolean =>
      verdicts(...records)
        .at(-1)
        ?.includes("ended") === true;
    const duration = system("turn_duration", { durationMs: 5 });
    expect(ends(go, marker(), duration)).toBe(false);
    expect(ends(go, duration)).toBe(true);
    expect(ends(go, reply(), system("turn_duration"))).toBe(true);
    expect(ends(go, system("turn_duration"), system("turn_duration"))).toBe(true);
    expect(ends(go, marker(), system("turn_duration"), system("turn_duration"))).toBe(false);
    expect(ends(response("m1"), go, marker({ interruptedMessageId: "m1" }), duration)).toBe(false);
    expect(ends(go, marker(), system("stop_hook_summary"))).toBe(false);
    expect(ends(go, system("turn_duration"), system("stop_hook_summary"))).toBe(false);
    expect(ends(go, user([result("t", "x"), text("[Request interrupted by user]")]), duration)).toBe(false);
    expect(verdicts(go, user([result("t", "x"), text("[Request interrupted by user]")]))[1]).toMatch(
      "cancelled interrupted",
    );
    // A prompt sent before the marker of the turn it interrupted is running, so it can be completed.
    const late = marker({ interruptedMessageId: "m1" });
    const sent = [user("a", { promptId: "p1" }), response("m1"), user("b", { promptId: "p2" }), late];
    expect(ends(...sent, system("turn_duration"))).toBe(true);
  });
});

describe("a shell command typed by the human", () => {
  const shell = user("<bash-input>ls</bash-input>", { uuid: "s" });
  const output = (words: string, more: Native = {}): string | undefined => verdicts(shell, user(words, more))[1];

  it("is settled with its output, and ends its turn unless a model responds to it", () => {
    const both = (out: string, err: string): string =>
      `<bash-stdout>${out}</bash-stdout><bash-stderr>${err}</bash-stderr>`;
    expect(output(both("a", ""))).toBe('reaction user.shell_output | shell-s ok "a" | ended');
    expect(output(both("", "b"))).toBe('reaction user.shell_output | shell-s failed "b" | ended');
    expect(output(both("a", "b"))).toBe('reaction user.shell_output | shell-s ok "a\\nb" | ended');
    expect(output("<bash-stdout>a</bash-stdout>")).toBe('reaction user.shell_output | shell-s ok "a" | ended');
    expect(output("<bash-stderr>b</bash-stderr>")).toBe('reaction user.shell_output | shell-s failed "b" | ended');
    expect(verdicts(shell, user(both("a", "")), system("turn_duration")).at(-1)).toMatch("ended");
    expect(output(both("a", ""), { turnOrigin: "human" })).toBe('reaction user.shell_output | shell-s ok "a"');
    expect(output(both("(Bash completed with no output)", ""), { version: "2.0.1" })).toMatch("shell-s ok");
    expect(output(both("a", ""), { version: undefined })).toMatch("shell-s pending");
    expect(output(both("a", ""), { version: "2.2.1" })).toMatch("shell-s ok");
    expect(output(both("a", ""), { version: "3" })).toMatch("shell-s ok");
  });
});

describe("other records", () => {
  it("are setup before the first prompt, and so are SessionStart hooks at any time", () => {
    expect(
      verdicts(attachment("hook_success"), progress("hook_progress"), system("informational"), system("init"), go),
    ).toEqual([
      "setup attachment.before_prompt",
      "setup progress.before_prompt",
      "setup system.before_first_prompt",
      "session system.init",
      'trigger user.plain | human prompt "go"',
    ]);
    const start = { hookEvent: "SessionStart" };
    expect(verdicts(go, attachment("hook_success", start), progress("hook_progress", start)).slice(1)).toEqual([
      "setup attachment.before_prompt",
      "setup progress.before_prompt",
    ]);
    expect(verdicts(system("stop_hook_summary"))).toEqual(["setup system.before_first_prompt"]);
    expect(verdicts(record("system", { content: "x" }))).toEqual(["setup system.notice"]);
    expect(verdicts(go, record("system", { content: "x" }))[1]).toBe("reaction system.notice");
  });

  it("in a subagent file are reactions", () => {
    const stop = { hookEvent: "Stop" };
    const records = [
      attachment("hook_success", stop),
      progress("hook_progress", { hookEvent: "SessionStart" }),
      system("stop_hook_summary"),
      system("informational"),
      record("system", { content: "x" }),
    ];
    expect(subagentVerdicts(...records)).toEqual([
      "reaction attachment.hook_success",
      "reaction progress.hook_progress",
      "reaction system.stop_hook_summary",
      "reaction system.informational",
      "reaction system.notice",
    ]);
    expect(subagentVerdicts(side("x"), assistant([text("y")], {}, { isSidechain: true }))[1]).toMatch(
      /^reaction assistant/,
    );
    expect(subagentVerdicts(side("x"), system("stop_hook_summary"))[1]).toBe("reaction system.stop_hook_summary");
  });

  it("of Stop hooks end the turn once, but not inside a sidechain", () => {
    const stop = { hookEvent: "Stop" };
    const inline = { isSidechain: true };
    expect(verdicts(go, attachment("hook_success", stop), attachment("hook_success", stop)).slice(1)).toEqual([
      "reaction attachment.hook_success | ended",
      "reaction attachment.hook_success",
    ]);
    const twice = [go, attachment("hook_success", stop), attachment("hook_success", stop)];
    expect(read(twice)[2]?.records).toEqual([]);
    expect(verdicts(go, progress("hook_progress", stop))[1]).toBe("reaction progress.hook_progress | ended");
    expect(verdicts(go, progress("hook_progress", stop, inline))[1]).toBe("reaction progress.hook_progress");
    expect(verdicts(go, attachment("hook_success", stop, inline))[1]).toBe("reaction attachment.hook_success");
  });

  it("with the cost of a session yield usage totals and belong to no turn", () => {
    const stated = { modelUsage: { m: { inputTokens: 3, outputTokens: 4 } }, startTime: Date.UTC(2026, 4, 12) };
    const totals = (type: string): unknown[] =>
      read([go, bare(type, stated)]).flatMap(({ records }) => records.filter((body) => body.type === "usage_total"));
    expect(totals("cost-state")).toMatchObject([{ models: [{ model: "m", input_tokens: 3, output_tokens: 4 }] }]);
    expect(totals("mode")).toEqual([]);
    expect(verdicts(go, bare("cost-state"))[1]).toBe("session session.cost_state");
  });

  it("of unknown types are classified as unknown", () => {
    const odd = [
      record("attachment"),
      record("attachment", { attachment: {} }),
      attachment("odd"),
      progress("odd"),
      record("progress"),
      system("odd", { content: "x" }),
      record("system"),
      record("odd"),
      bare("odd"),
      { sessionId: SESSION },
    ];
    expect(verdicts(go, ...odd).slice(1)).toEqual([
      "unknown unknown",
      "unknown unknown",
      "unknown unknown",
      "unknown unknown",
      "reaction progress.untyped",
      "unknown unknown",
      "unknown unknown",
      "unknown unknown",
      "unknown unknown",
      "unknown unknown",
    ]);
  });

  it("of local commands keep their text only at full detail", () => {
    expect(verdicts(system("local_command", { content: "x" }), system("local_command"))).toEqual([
      'session command.local_record | source "x"',
      'session command.local_record | source ""',
    ]);
    const [lean] = read([system("local_command", { content: "x" })], { detail: "lean" });
    expect(lean && line(lean)).toBe('session command.local_record | source ""');
    const [, note] = read([go, user("x", { isMeta: true })], { detail: "lean" });
    expect(note && line(note)).toBe('reaction user.meta | source ""');
  });
});
