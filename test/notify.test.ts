import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  desktopCommand,
  hookEnv,
  notice,
  notify,
  type WatchEvent,
  SessionEvents,
} from "../src/doors/cli/commands/sync.ts";
import type { Io } from "../src/doors/cli/io.ts";
import type { Daybook, WatchedChange } from "../src/answers/daybook.ts";
import * as codex from "./cases/build.ts";
import { open, scratch } from "./store/fixture.ts";

const ID = "019e2f1c-0000-7000-8000-000000000001";
const CHANGED: WatchedChange = { source: "codex", session_id: ID, change: "changed" };
const START = Date.parse("2026-05-13T11:00:00Z");

/** Hand-written: the session grows line by line, as an agent writes it. */
describe("session events", () => {
  const dir = codex.folder();
  const path = join(dir, "codex", `rollout-2026-05-13T11-00-00-${ID}.jsonl`);
  const { M, TS, TD, R, E, A, CALL, OUT, event, at } = codex;
  let daybook: Daybook = open({});
  const add = async (...lines: codex.Line[]): Promise<void> => {
    for (const line of lines) appendFileSync(path, `${JSON.stringify(at("2026-05-13T11:30:00.000Z", line))}\n`);
    await daybook.sync();
  };
  beforeAll(() => {
    codex.write(path, [at("2026-05-13T11:29:00.000Z", M(ID))]);
    daybook = open({ codex: [join(dir, "codex")] }, join(dir, "home"), { noSync: true, now: codex.NOW });
  });
  afterAll(() => daybook.close());

  it("report a question, a finished turn and a failed turn, each once", async () => {
    const events = new SessionEvents(daybook, START);
    const kinds = async (): Promise<string[]> =>
      (await events.of([CHANGED])).map(({ kind, text }) => `${kind}: ${text}`);
    await add(TS("t1"), R("paint it"), E("paint it"));
    expect(await kinds()).toEqual([]);
    const question = {
      id: "c",
      header: "Colour",
      question: "Which colour?",
      options: [{ label: "Red" }, { label: "Blue" }],
    };
    await add(CALL("q1", "request_user_input", { questions: [question] }));
    expect(await kinds()).toEqual(["waiting: Which colour?"]);
    // The same question is not reported again.
    expect(await kinds()).toEqual([]);
    await add(OUT("q1", { answers: { c: { answers: ["Red"] } } }), A("It is red."), TD("t1"));
    expect(await kinds()).toEqual(["finished: It is red."]);
    expect(await kinds()).toEqual([]);
    await add(
      TS("t2"),
      R("again"),
      E("again"),
      event("task_complete", { turn_id: "t2", error: { message: "no more money" } }),
    );
    expect(await kinds()).toEqual([expect.stringContaining("failed: ")]);
    // Events before the start of watching are not reported.
    expect(await new SessionEvents(daybook, START + 86_400_000).of([CHANGED])).toEqual([]);
    expect(await events.of([{ ...CHANGED, change: "removed" }])).toEqual([]);
  });
});

const EVENT: WatchEvent = {
  kind: "finished",
  source: "codex",
  session_id: ID,
  turn_ref: "T0001",
  project: "shop",
  request: "--version; rm -rf $HOME\nand more",
  text: "`touch x`\u001b[2J done",
};

describe("a notification", () => {
  it("has one line of title and body each, and its text is never a flag or a command", () => {
    expect(notice(EVENT)).toEqual({ title: "shop finished", body: expect.not.stringMatching(/[\n\u001b]/) as string });
    const words = desktopCommand("linux", { PATH: "/usr/bin" }, notice(EVENT), () => true) ?? [];
    expect(words.slice(0, 3)).toEqual(["notify-send", "--app-name=daybook", "--"]);
    expect(desktopCommand("linux", { PATH: "/usr/bin" }, notice(EVENT), () => false)).toBeNull();
    expect(desktopCommand("win32", { PATH: "" }, notice(EVENT), () => true)).toBeNull();
    expect(desktopCommand("darwin", {}, notice(EVENT))?.slice(-2)).toEqual(Object.values(notice(EVENT)));
  });

  it("is passed to the user's command only in environment variables", async () => {
    const out = join(scratch("notify"), "out");
    const io = { env: { PATH: process.env["PATH"], OUT: out }, err: () => undefined } as unknown as Io;
    notify(io, EVENT, 'printf %s "$DAYBOOK_EVENT|$DAYBOOK_TEXT" > "$OUT.new" && mv "$OUT.new" "$OUT"');
    while (!existsSync(out)) await sleep(20);
    expect(readFileSync(out, "utf8")).toBe(`finished|${hookEnv(EVENT)["DAYBOOK_TEXT"]}`);
    expect(readFileSync(out, "utf8")).toContain("rm -rf $HOME");
  });
});
