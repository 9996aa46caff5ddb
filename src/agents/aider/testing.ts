import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RecordBody, RecordType } from "../../record/record.ts";
import type { Entry, ReadContext, SourceRef } from "../contract.ts";
import { discoverAider } from "./discover.ts";
import { HISTORY, INPUT_HISTORY } from "./native.ts";
import { readRun } from "./read.ts";

/** Test helpers: histories written exactly as Aider's `io.py` writes them. */
export const START = "2024-08-08 15:03:22";

export function header(time: string = START): string {
  return `\n# aider chat started at ${time}\n\n`;
}

/** `user_input()`: a blank line, then every line between `#### ` and two trailing spaces. */
export function prompt(text: string): string {
  return `\n${text
    .split("\n")
    .map((line) => `#### ${line}  \n`)
    .join("")}`;
}

/** `tool_output()`: only the first line is quoted, only the last one ends in two spaces. */
export function message(text: string): string {
  return `> ${text}`.trimEnd() + "  \n";
}

/** `ai_output()`. */
export function reply(text: string): string {
  return `\n${text.trim()}\n\n`;
}

export const REPORT: string = message("Tokens: 2.3k sent, 1.1k received. Cost: $0.02 message, $0.05 session.");

export function announcements(command = "/usr/bin/aider", model = "gpt-4o"): string {
  return [command, "Aider v0.86.1", `Main model: ${model} with diff edit format`, "Git repo: .git with 3 files"]
    .map(message)
    .join("");
}

/** A directory with a history and, if given, an input history. */
export function writeHistory(text: string, input?: string, directory: string = scratch()): string {
  const path = join(directory, HISTORY);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (input !== undefined) writeFileSync(join(directory, INPUT_HISTORY), input);
  return path;
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-aider-"));
}

export function refsOf(...roots: string[]): SourceRef[] {
  return [...discoverAider({ env: {}, home: "/nonexistent", roots, report: () => undefined })];
}

/** The entries of the last run in a history. */
export function read(text: string, ctx: Partial<ReadContext> = {}, input?: string): Entry[] {
  const ref = refsOf(writeHistory(text, input)).at(-1);
  return ref ? [...readRun(ref, null, { detail: "full", ...ctx })] : [];
}

/** All canonical records of one type, in order. */
export function bodies<T extends RecordType>(entries: readonly Entry[], type: T): Extract<RecordBody, { type: T }>[] {
  return entries
    .flatMap((entry) => entry.records)
    .filter((body): body is Extract<RecordBody, { type: T }> => body.type === type);
}

/** `kind: text` of every trigger. */
export function prompts(entries: readonly Entry[]): string[] {
  return entries
    .filter((entry) => entry.class === "trigger")
    .map((entry) => {
      const [body] = bodies([entry], "user");
      return `${body?.kind ?? "?"}: ${body?.text ?? ""}`;
    });
}

/** A store with every construct; one of its histories has Windows line ends, another lost its trailing spaces. */
export function writeSampleStore(root: string = scratch()): string {
  const input =
    "\n# 2024-08-08 15:03:30.500000\n+first question\n+over two lines\n\n# 2024-08-08 15:05:00.000000\n+/add b.py\n";
  writeHistory(sampleHistory(), input, root);
  writeHistory(sampleHistory().replaceAll("\n", "\r\n"), undefined, join(root, "windows"));
  writeHistory(sampleHistory().replaceAll(/ +\n/g, "\n"), undefined, join(root, "stripped"));
  writeHistory("left over from an older file\n" + header() + announcements(), undefined, join(root, "headless"));
  return root;
}

export function sampleHistory(): string {
  const code =
    "Here is a plan:\n\n#### Not a prompt\n\n```md\n# aider\n\n\n#### also not\n> quoted\n```\n\n> a quotation\n\nDone.";
  return [
    header(),
    announcements(),
    prompt("first question\nover two lines"),
    reply(code),
    REPORT,
    message("Applied edit to src/a.py"),
    message("Commit 1234567 feat: add a"),
    prompt("/add b.py"),
    message("Added b.py to the chat"),
    prompt("/ask why?"),
    prompt("why?"),
    reply("Because.\n\n\nReally."),
    message("Tokens: 12k sent, 3k cache write, 8.1k cache hit, 240 received.\nCost: $0.03 message, $0.08 session."),
    prompt("stop here"),
    message(""),
    message(""),
    message("^C again to exit"),
    reply("I was about to"),
    prompt("/run make test"),
    message("one\n\ntwo\n# three"),
    message("Add the output to the chat?\n(y/n/instructions) n"),
    prompt("/exit"),
    header("2024-08-09 08:00:00"),
    announcements("aider --message hi", "claude-x"),
    prompt("hi"),
    message("litellm.APIError: overloaded"),
    message("Retrying in 0.2 seconds..."),
    reply("Hello."),
    REPORT,
  ].join("");
}
