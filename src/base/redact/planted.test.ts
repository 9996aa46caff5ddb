import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { plantedSecrets, type Planted } from "../../../test/planted-secrets.ts";
import { findSecrets } from "./find.ts";
import { redact, redactAll, Redactor } from "./redact.ts";

/** True when the whole secret, or a piece long enough to be useful, is in the text. */
function leaks(text: string, { secret }: Planted): boolean {
  return text.includes(secret) || text.includes(secret.slice(-10));
}

const WAYS: readonly [string, (text: string) => string][] = [
  ["a text", redact],
  ["a value", (text) => JSON.stringify(redactAll({ list: [{ text }] }))],
  ["JSON", (text) => redact(JSON.stringify({ text }))],
  ["JSON in JSON", (text) => redact(JSON.stringify({ json: JSON.stringify({ text }) }))],
  [
    "values serialised as JSON",
    (text) => [...new Redactor().json([{ json: JSON.stringify({ text }), secret: true }], "\n")].join(""),
  ],
  ["a key", (text) => JSON.stringify(redactAll({ [text]: 1 }))],
];

describe("planted secrets", () => {
  it.each(WAYS)("are hidden in %s", (_, hide) => {
    const planted = [1, 2, 3, 4, 5].flatMap((seed) => plantedSecrets(seed * 7919));
    const leaked = planted.filter((one) => leaks(hide(one.text), one));
    expect(new Set(leaked.map(({ kind }) => kind))).toEqual(new Set());
    expect(new Set(planted.map(({ kind }) => kind)).size).toBeGreaterThan(160);
  });

  it("are hidden next to escape sequences, quotes and other delimiters", () => {
    const strong = plantedSecrets(7).filter(({ text, secret }) => text === `use ${secret} for it`);
    expect(strong.length).toBeGreaterThan(80);
    for (const [before, behind] of [
      ["\u001b[32m", "\u001b[0m"],
      ["%3D", "%26"],
      [String.raw`\n`, String.raw`\n`],
      ['"', '"'],
      ["=", "\n"],
      ["`", "`"],
      ["(", ")"],
    ]) {
      const leaked = strong.filter((one) => leaks(redact(`${before}${one.secret}${behind}`), one));
      expect(
        leaked.map(({ kind }) => kind),
        `${before}…${behind}`,
      ).toEqual([]);
    }
  });

  it("are hidden in an array of command arguments", () => {
    expect(redactAll(["curl", "-u", "mira:hunter22", "https://x.example"])).toEqual([
      "curl",
      "-u",
      "mira:[redacted:cli-password]",
      "https://x.example",
    ]);
    expect(redactAll(["deploy", "--token", "swordfish", "--verbose"])).toEqual([
      "deploy",
      "--token",
      "[redacted:secret]",
      "--verbose",
    ]);
    expect(redactAll(["mkdir", "-p", "src/token"])).toEqual(["mkdir", "-p", "src/token"]);
  });

  it("are hidden at any depth", () => {
    let value: unknown = { password: "hunter22" };
    for (let i = 0; i < 20_000; i++) value = i % 2 === 0 ? [value] : { inner: value };
    let hidden = redactAll(value);
    while (typeof hidden === "object" && hidden !== null && !("password" in hidden))
      hidden = Array.isArray(hidden) ? hidden[0] : (hidden as { inner: unknown }).inner;
    expect(hidden).toEqual({ password: "[redacted:secret]" });
  });
});

describe("ordinary text", () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const under = (dir: string, ending: RegExp): string[] =>
    readdirSync(`${root}${dir}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ending.test(entry.name) && !/base\/redact|fixtures/.test(entry.parentPath))
      .map((entry) => `${entry.parentPath}/${entry.name}`);

  it("is unchanged except for at most one word in 100,000", () => {
    const files = [
      ...under("src", /(?<!\.test)\.ts$/),
      ...under("docs", /\.md$/),
      ...under("node_modules/typescript/lib", /^lib\..*\.d\.ts$/),
      ...under("node_modules/zod", /\.(?:md|d\.ts)$/),
      ...under("node_modules/commander", /\.(?:md|js)$/),
      ...under("node_modules/@types/node", /\.d\.ts$/),
      `${root}README.md`,
    ];
    let words = 0;
    const touched: string[] = [];
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      words += text.match(/\S+/g)?.length ?? 0;
      touched.push(...findSecrets(text).map(({ start, end }) => `${file}: ${text.slice(start - 30, end)}`));
    }
    expect(words).toBeGreaterThan(500_000);
    expect(touched.length * 100_000, touched.join("\n")).toBeLessThanOrEqual(words);
  });

  it.each([
    "PWD=/srv/work",
    "OLDPWD=/home/mira/src",
    "cd /srv/work && pwd",
    "mkdir -p build && docker run -p 8080:80 nginx",
    "ssh -p 2222 host",
    "see src/auth/token.ts:12",
    '{"token": "string", "password": {"type": "string"}}',
    "the password is required",
    "Cookie: consent",
    "arn:aws:secretsmanager:eu-central-1:123456789012:secret:db-a1b2c3",
    "deploy --token <TOKEN> --region eu",
    "use the --password flag to set it",
    "http://localhost:3000/a@b",
    'nextToken: "abcDEF123456"',
  ])("is unchanged: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("user-defined rules", () => {
  const own = new Redactor({
    rules: [{ name: "badge", pattern: /BADGE-\d{4}/gu }],
    exceptions: [/^hunter\d+$/u],
  });

  it("hide additional texts", () => {
    expect(own.text("BADGE-1234 and BADGE-99")).toBe("[redacted:badge] and BADGE-99");
    expect(own.all({ a: ["BADGE-1234"] })).toEqual({ a: ["[redacted:badge]"] });
  });

  it("exempt values from redaction", () => {
    expect(own.text("DB_PASSWORD=hunter2 x")).toBe("DB_PASSWORD=hunter2 x");
    expect(own.text("DB_PASSWORD=other2 x")).toBe("DB_PASSWORD=[redacted:secret] x");
  });

  it("change the name of the redactor", () => {
    expect(own.name).not.toBe(new Redactor().name);
  });
});
