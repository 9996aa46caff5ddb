import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { settlements } from "../kit/testing.ts";
import { readSession } from "./read.ts";

function read(history: readonly object[], created?: string): Entry[] {
  const directory = mkdtempSync(join(tmpdir(), "daybook-continue-"));
  const path = join(directory, "a.json");
  writeFileSync(path, JSON.stringify({ sessionId: "a", title: "Untitled Session", workspaceDirectory: "/w", history }));
  if (created !== undefined)
    writeFileSync(join(directory, "sessions.json"), JSON.stringify([{ sessionId: "a", dateCreated: created }]));
  return [
    ...readSession({ source: "continue", path, size: 0, mtimeMs: 0, container: "json" }, null, { detail: "full" }),
  ];
}

function ended(name: string, status: string, content: string): string[] {
  const toolCall = { id: "c", type: "function", function: { name, arguments: "{}" } };
  const states = [{ toolCallId: "c", toolCall, status, parsedArgs: {}, output: [{ content }] }];
  const message = { role: "assistant", content: "", toolCalls: [toolCall] };
  return settlements(read([{ message, contextItems: [], toolCallStates: states }]));
}

it("`done` says how a tool ended, but not how a command did", () => {
  expect(ended("Read", "done", "x")).toEqual(["c: ok -"]);
  expect(ended("Bash", "done", "x")).toEqual(["c: pending -"]);
  expect(ended("Bash", "errored", "Error: no")).toEqual(["c: failed -"]);
  expect(ended("Bash", "calling", "")).toEqual([]);
});

it("a call that was cancelled is a refusal only if its text says so", () => {
  expect(ended("Bash", "canceled", "Permission denied by user")).toEqual(["c: denied -"]);
  expect(ended("Bash", "canceled", "")).toEqual(["c: interrupted -"]);
});

it("only the list of sessions knows when one began", () => {
  expect(read([], "1794985915869").map(({ time }) => time)).toEqual([1794985915869]);
  expect(read([]).map(({ time }) => time)).toEqual([null]);
});
