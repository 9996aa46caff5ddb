import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { bodies } from "../kit/testing.ts";
import { readSession } from "./read.ts";

const directories: string[] = [];

afterEach(() => directories.splice(0).forEach((path) => rmSync(path, { recursive: true, force: true })));

function said(second: number, source: string, text: string): object {
  const content = text === "" ? [] : [{ type: "text", text }];
  const timestamp = new Date(Date.UTC(2026, 10, 19, 7, 0) + second * 1000).toISOString();
  return { kind: "MessageEvent", id: `${second}`, timestamp, source, llm_message: { content } };
}

function read(events: readonly object[]): Entry[] {
  const directory = mkdtempSync(join(tmpdir(), "openhands-"));
  directories.push(directory);
  mkdirSync(join(directory, "events"));
  writeFileSync(join(directory, "base_state.json"), "{}");
  events.forEach((event, i) =>
    writeFileSync(join(directory, "events", `event-${String(i).padStart(5, "0")}-e.json`), JSON.stringify(event)),
  );
  const ref = { source: "openhands", path: join(directory, "base_state.json"), size: 2, mtimeMs: 1 } as const;
  return [...readSession({ ...ref, container: "json" }, null, { detail: "full" })];
}

it("what the client asks at once behind an empty answer is no prompt, and the answer no end", () => {
  const entries = read([
    said(0, "user", "go"),
    said(2, "agent", ""),
    said(2.04, "user", "Your last response did not include a function call or a message."),
    said(3, "agent", ""),
    said(60, "user", "well?"),
    said(61, "agent", "done"),
    said(61.5, "user", "thanks"),
  ]);
  const typed = bodies(entries, "user").flatMap(({ author, text }) => (author === "human" ? [text] : []));
  expect(typed).toEqual(["go", "well?", "thanks"]);
  expect(bodies(entries, "assistant_finished").filter((body) => body.turn_ended)).toHaveLength(1);
});
