import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Native } from "../kit/native.ts";
import { bodies } from "../kit/testing.ts";
import { assistant, fixtures, SESSION, text, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { read, readPath } = fixtures;

const queue = (operation: string, content?: string): Native => ({
  type: "queue-operation",
  operation,
  sessionId: SESSION,
  ...(content === undefined ? {} : { content }),
});
const snapshot: Native = { type: "file-history-snapshot", isSnapshotUpdate: false };
const OLD = { version: "2.1.19" };
const ask = (content: unknown, fields: Native = {}): Native => user(content, { ...OLD, ...fields });
const reply = (stop: string | null = "end_turn"): Native => assistant([text("ok")], { stop }, OLD);

/** How each prompt reached the agent. */
const entries = (...records: Native[]): unknown[] =>
  bodies(read(records), "user").flatMap((body) => (body.kind === undefined ? [] : [body.entry]));

const genuine = (session: string): unknown[] => {
  const path = fileURLToPath(new URL("../../../test/fixtures/claude/", import.meta.url));
  return bodies(readPath(join(path, `${session}.jsonl`)), "user").flatMap((body) =>
    body.kind === undefined ? [] : [body.entry],
  );
};

describe("how a prompt reached a release that does not state it", () => {
  it("is told by the queue (genuine files)", () => {
    // 2.0.76 and 2.1.19 with -p, 2.0.76 as a program that sends blocks of an editor, 2.1.19 and 2.1.50 in the terminal.
    expect(genuine("a711d51a-2757-455a-8cd2-b7a66461559a")).toEqual(["headless", "headless", "headless", "headless"]);
    expect(genuine("634f9264-9888-423c-b10c-f96e9a624a0c")).toEqual(["ide", "ide", "ide"]);
    expect(genuine("db96f891-c2fd-41e3-86fe-67560a2ddf4e")).toEqual(["interactive", "interactive"]);
    expect(genuine("66bfd503-48fa-4ce7-bd20-acb0c10551e9")).toEqual(["interactive", "interactive", "interactive"]);
  });

  it("is a program if it was put into the queue while nothing ran, and an editor if a snapshot was taken", () => {
    expect(entries(queue("dequeue"), ask("go"))).toEqual(["headless"]);
    expect(entries(queue("enqueue", "go"), queue("dequeue"), ask("go"))).toEqual(["headless"]);
    expect(entries(queue("enqueue"), queue("dequeue"), ask([text("go")]))).toEqual(["sdk"]);
    expect(entries(queue("dequeue"), snapshot, ask([text("go")]))).toEqual(["ide"]);
    // Commands are texts in every client.
    expect(entries(queue("dequeue"), snapshot, ask("go"))).toEqual(["unknown"]);
    expect(entries(ask([text("<ide_opened_file>f</ide_opened_file>"), text("go")]))).toEqual(["ide"]);
  });

  it("is a terminal if it was in no queue, and unknown if it may have been typed during a turn", () => {
    expect(entries(snapshot, ask("go"), reply(), snapshot, ask("on"))).toEqual(["interactive", "interactive"]);
    expect(entries(ask([text("go")]))).toEqual(["unknown"]);
    const busy = [ask("go"), queue("enqueue", "on"), reply(), queue("dequeue"), ask("on")];
    expect(entries(...busy)).toEqual(["interactive", "unknown"]);
    // What the client puts into the queue for itself is not the human's.
    const notice = "<task-notification>done</task-notification>";
    const notified = [queue("enqueue", notice), queue("dequeue"), ask(notice), reply()];
    expect(entries(ask("go"), reply(), ...notified, ask("on"))).toEqual(["interactive", "interactive"]);
  });

  it("is not inferred where it is stated, or where the queue tells nothing", () => {
    expect(entries(queue("dequeue"), ask("go", { entrypoint: "cli" }))).toEqual(["interactive"]);
    expect(entries(queue("dequeue"), ask("go", { entrypoint: "other" }))).toEqual(["unknown"]);
    for (const version of ["2.0.41", "1.0.64", "2.1.81", undefined])
      expect(entries(queue("dequeue"), ask("go", { version }))).toEqual(["unknown"]);
    for (const version of ["2.0.42", "2.1.80"]) expect(entries(ask("go", { version }))).toEqual(["interactive"]);
  });
});
