import { describe, expect, it } from "vitest";
import type { DayReport } from "../../src/answers/report/model.ts";
import { claude, CA, CT, CU, open, codex, A, CALL, E, M, OUT, R, TD, TS, toolUse, type Book } from "../cases/build.ts";
import { FORMATS } from "./formats.ts";

const ESC = "\u001b";
const NASTY = [
  `${ESC}[31mred${ESC}]0;title\u0007${ESC}[2J`,
  `<script>alert(1)</script><img src=x onerror=alert(1)></style></li></details>"'&amp;`,
  "[x](http://evil.example) ![i](javascript:alert(1)) *b* _i_ `c` ~s~ | t |",
  "# heading\n\n---\n\n1. list\n- [ ] task\n\n> quote\n\n```\nfence",
  "\u202egnp.exe\u202c \u2066iso\u2069 zero\u200bwidth \u200fmark \ufeffbom tag\u{e0041}",
  "lone \ud800 surrogate \u0000 nul \u009b2J c1 \u2028 separator",
  "http://evil.example www.evil.example $\\color{red}{x}$",
].join("\n");
const LONG = "w".repeat(1_000_000);

/** Sessions with a text in every place where a session can contain text. */
function book(text: string): Book {
  return open({
    codex: {
      "rollout-a.jsonl": [
        M("a", { cwd: `/nowhere/${text.slice(0, 2000)}` }),
        TS("t1"),
        R(text),
        E(text),
        CALL("c1", `tool ${text.slice(0, 2000)}`, { cmd: text }),
        OUT("c1", { output: text, metadata: { exit_code: 1 } }),
        CALL("c2", "update_plan", { plan: [{ step: text, status: "pending" }] }),
        OUT("c2", "Plan updated"),
        CALL("c3", "exec_command", { cmd: `git commit -m "${text}"` }),
        OUT("c3", `[main abcdef0] ${text}`),
        A(`${text}\nShall I go on?`),
        TD("t1"),
      ],
    },
    claude: {
      [`b.jsonl`]: [
        CU(text),
        CA([toolUse("q", "AskUserQuestion", { questions: [{ question: text, header: text, options: [] }] })]),
        CA([toolUse("w", "Write", { file_path: text.slice(0, 2000), content: "x" })]),
        CT("w", "done", { toolUseResult: { type: "create", filePath: text.slice(0, 2000) } }),
      ],
    },
  });
}

async function reportOf(text: string): Promise<DayReport> {
  return book(text).report({ date: "2026-05-12" });
}

/** Characters that could control a terminal, are invisible or change the direction of text. */
const ACTIVE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

function tags(text: string): string[] {
  return [...new Set(text.match(/<\/?[a-z!][^\s>]*/gi))].toSorted();
}

describe("hostile text", () => {
  const readable = Object.keys(FORMATS).filter((name) => name !== "report.json");

  it.each(readable)("puts no escape, bidi or invisible character into %s", async (name) => {
    const text = FORMATS[name]?.(await reportOf(NASTY)) ?? "";
    expect(text.length).toBeGreaterThan(300);
    expect(ACTIVE.exec(text)).toBeNull();
  });

  it("is complete in JSON, with terminal escapes encoded", async () => {
    const text = FORMATS["report.json"]?.(await reportOf(NASTY)) ?? "";
    expect(text).not.toContain(ESC);
    const parsed = JSON.parse(text) as DayReport;
    expect(parsed.projects.flatMap((project) => project.turns.map((turn) => turn.trigger.text))).toContain(NASTY);
  });

  it("adds no tag to HTML", async () => {
    const page = FORMATS["report.html"]?.(await reportOf(NASTY)) ?? "";
    // Markdown is rendered as tags; nothing else in a text may become a tag.
    const harmless =
      FORMATS["report.html"]?.(
        await reportOf(
          "a **calm** *quiet* ~~old~~ `text`\nof two lines\n\n1. list\n\n- list\n\n> quote\n\n---\n\n# head\n\n```\ncode",
        ),
      ) ?? "";
    expect(tags(page).filter((tag) => !tags(harmless).includes(tag))).toEqual([]);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<img|onerror=alert\(1\)>/);
    // No quote in a text ends an attribute.
    const markup = page.replace(/<script>[^<]*<\/script>/, "");
    for (const [, attributes = ""] of markup.matchAll(/<[a-z]+((?:\s+[a-z0-9-]+="[^"]*")*)\s*\/?>/gi)) {
      expect(attributes).not.toContain("<");
    }
    expect(markup.match(/<[a-z0-9]+\b(?!(?:\s+[a-z0-9-]+(?:="[^"]*")?)*\s*\/?>)/gi)).toBeNull();
  });

  it.each(["report.md", "standup.md"])("is literal text in %s", async (name) => {
    const text = FORMATS[name]?.(await reportOf(NASTY)) ?? "";
    const outside = text.replace(/`[^`\n]*`/g, "");
    expect(outside).not.toMatch(/<[a-z!/]/i);
    expect(outside).not.toMatch(/(?<!\\)\[x(?<!\\)\]\(/);
    expect(outside).not.toMatch(/(?<!\\)!\[/);
    expect(outside).not.toMatch(/https?:\/\//);
    expect(outside).not.toMatch(/^(?:> )?# heading/m);
    expect(outside).not.toMatch(/^```/m);
    // Every heading is one of the report's own.
    for (const heading of outside.match(/^#+ .*$/gm) ?? []) {
      expect(heading).toMatch(
        /^(?:# \w+day|## (?:[\w.-]+$|Decisions|Waiting for you|Only said|Changes|Tokens|Diagnostics)|### \d\d:\d\d )/,
      );
    }
  });

  it.each(Object.keys(FORMATS))("with a word of one megabyte is cut in %s, except in JSON", async (name) => {
    const text = FORMATS[name]?.(await reportOf(LONG)) ?? "";
    expect(text.length).toBeGreaterThan(200);
    if (name === "report.json") expect(text).toContain(LONG);
    const lines = text.split("\n");
    if (/^(?:terminal|narrow|full)/.test(name)) for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    if (name !== "report.json") expect(text.length).toBeLessThan(60_000);
  });

  it("case 103: is escaped in Markdown and HTML", async () => {
    const message = "[x](http://y) ![i](z) *b* # h";
    const text = FORMATS["report.md"]?.(await codex(M("s"), R(message)).report({ date: "2026-05-12" })) ?? "";
    expect(text).toContain("> \\[x\\](http\\://y) \\!\\[i\\](z) \\*b\\* # h");
    const page = FORMATS["report.html"]?.(await claude(CU("x </details> y")).report({ date: "2026-05-12" })) ?? "";
    expect(page).toContain("x &lt;/details&gt; y");
  });
});

describe("secrets", () => {
  const key = ["sk", "ant", "api03", "abcdefghijklmnop0123456789"].join("-");
  const text = `Use ${key} and DB_PASSWORD=hunter2secret, please.`;

  it.each(Object.keys(FORMATS))("are hidden in %s, unless `redact` is false", async (name) => {
    const secret = book(text);
    const hidden = FORMATS[name]?.(await secret.report({ date: "2026-05-12" })) ?? "";
    expect(hidden).not.toContain(key);
    expect(hidden).not.toContain("hunter2secret");
    expect(hidden).toContain("redacted:anthropic-key");
    const shown = FORMATS[name]?.(await secret.report({ date: "2026-05-12", redact: false })) ?? "";
    expect(shown).toContain(key);
  });

  it("are hidden before texts are cut, so that no part of a secret remains", async () => {
    const report = await reportOf(`${"x".repeat(880)} ${key}`);
    for (const render of Object.values(FORMATS)) expect(render(report)).not.toContain(key.slice(0, 20));
  });

  it("are hidden in the context too", async () => {
    const lines = [M("s", { cwd: `/nowhere/${key}` }), R("a")];
    expect(JSON.stringify(await codex(...lines).context({}))).not.toContain(key);
    expect(JSON.stringify(await codex(...lines).context({ redact: false }))).toContain(key);
  });
});
