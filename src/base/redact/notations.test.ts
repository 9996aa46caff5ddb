import { describe, expect, it } from "vitest";
import { DEPLOYMENT, LAST, LATER, PROGRAMMED, SERVERS } from "../../../test/planted-dialects.ts";
import { ASSIGNED, CODED, COMMANDS, TABULATED, TOLD } from "../../../test/planted-notations.ts";
import { WORDS } from "../../../test/planted-words.ts";
import { redact } from "./redact.ts";

/** Passwords as generators and people make them: with and without digits, symbols and capitals. None is real. */
const MADE = [
  "jNqxWertzQ",
  "OZEqThxXlvQLYDPb",
  "qzxvkjwtrmpd",
  "k7WqZ2mXv9Rt",
  "wqzk42!RtYx",
  "3f9a0c51e7d84b2690fedcba87654321",
];
const CHOSEN = ["mango72", "swordfish"];

/** Ordinary words, and one that no language has. */
const ORDINARY = ["swordfish", "Kohlrabi", "qzxvkjwtrmpd", "mango72"];

function leaked(texts: readonly string[], passwords: readonly string[]): string[] {
  return texts.flatMap((text) =>
    passwords
      // In an address these would begin another part of it.
      .filter((password) => !(password.includes("!") && text.includes("://")))
      .filter((password) => redact(text.replaceAll("«»", password)).includes(password))
      .map((password) => `${text} ${password}`),
  );
}

describe("a password is hidden, whatever it looks like,", () => {
  it.each([
    ["in assignments", ASSIGNED],
    ["in pairs, calls, lists and SQL", CODED],
    ["on command lines", COMMANDS],
    ["in tables and cookies", TABULATED],
    ["in sentences", TOLD],
  ])("%s", (_, texts) => {
    expect(texts.length).toBeGreaterThan(15);
    expect(leaked(texts, MADE)).toEqual([]);
  });

  it("also if it is a word, where nothing else can stand", () => {
    expect(WORDS.length).toBeGreaterThan(200);
    expect(leaked(WORDS, ORDINARY)).toEqual([]);
  });

  it.each([
    ["of servers, proxies, queues and databases", SERVERS],
    ["of deployments", DEPLOYMENT],
    ["of programs, networks, requests and logs", PROGRAMMED],
    ["of more of all these", LATER],
    ["of still more", LAST],
  ])("in the dialects %s", (_, texts) => {
    expect(leaked(texts, ["k7WqZ2mXv9Rt", "OZEqThxXlvQLYDPb", "qzxvkjwtrmpd"])).toEqual([]);
  });

  it("also if it is a word or a word and a number, where only a value can be", () => {
    expect(leaked(ASSIGNED, CHOSEN)).toEqual([]);
  });

  it("wherever it occurs on one line", () => {
    expect(redact("redis-cli -a tigerX get a … redis-cli -a tigerY get b")).toBe(
      "redis-cli -a [redacted:cli-password] get a … redis-cli -a [redacted:cli-password] get b",
    );
  });
});

it.each([
  "password: string",
  "password: required",
  '"password": "Enter your password"',
  '{"password": "Forgot password?"}',
  "password: ${{ secrets.DB_PASSWORD }}",
  "DB_PASSWORD=$(vault read -field=password secret/db)",
  "PASS: gdb.base/x86-64.exp: step 2",
  '["user", "password", "token", "x509"]',
  "use `pass` or `fail`",
  '{"pass": "未使用抽象角色"}',
  "the password is required",
])("what is no password stays: %s", (text) => {
  expect(redact(text)).toBe(text);
});
