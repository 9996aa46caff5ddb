import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Daybook } from "../../src/answers/daybook.ts";
import { rootOfCorpus } from "../truth.ts";
import { open, scratch } from "./fixture.ts";

/** Genuine sessions that contain a command in expanded form, each with the file that defined the command. */
const STORES = [
  {
    source: "pi",
    corpus: "pi-0.87.1",
    store: ".",
    file: "prompts/greet.md",
    text: "---\ndescription: lab greeting\n---\nGreet $@ politely. [lab:skill]\n",
  },
  {
    source: "qwen",
    corpus: "qwen-0.24.4",
    store: ".",
    file: "commands/greet.md",
    text: "---\ndescription: lab greeting\n---\nGreet {{args}} politely. [lab:skill]\n",
  },
  {
    source: "opencode",
    corpus: "opencode-1.18.33",
    store: ".local/share/opencode/opencode.db",
    file: ".config/opencode/command/greet.md",
    text: "---\ndescription: lab greeting\n---\nGreet $ARGUMENTS politely. [lab:skill]\n",
  },
];

describe.each(STORES)("an expanded command of $source", ({ source, corpus, store, file, text }) => {
  const home = scratch(source);
  const root = join(home, store);
  mkdirSync(dirname(root), { recursive: true });
  cpSync(rootOfCorpus(corpus), root, { recursive: true });
  const greetTriggers = async (daybook: Daybook): Promise<unknown[]> =>
    (await daybook.turns()).map(({ trigger }) => trigger).filter((trigger) => /greet/i.test(trigger.text ?? ""));

  it("is shown as typed if its file exists, with and without a book", async () => {
    const roots = { [source]: [root] };
    expect(await greetTriggers(open(roots))).toMatchObject([{ kind: "prompt" }]);
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
    const expected = [{ kind: "command", text: "/greet the whole team" }];
    expect(await greetTriggers(open(roots))).toMatchObject(expected);
    const book = open(roots, scratch("book"));
    expect(await greetTriggers(book)).toMatchObject(expected);
    // The expanded text can still be found.
    expect(await book.search("politely")).toMatchObject([{ kind: "injected" }]);
  });
});
