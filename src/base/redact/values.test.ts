import { describe, expect, it } from "vitest";
import { escapeRegExp } from "./escape-regexp.ts";
import { entropy, isPassword, isPlaceholder, isRandom } from "./values.ts";

describe("a placeholder for a secret", () => {
  it.each([
    [
      "refers to a variable",
      "$X %(x)s %{x} %A% <x> {{x}} {x} {_x} {$x} @x &x (x) `x` process.env.X import.meta os.environ",
    ],
    [
      "refers to settings",
      "env.X env[X] env(X) config.x self.x this.x ENV[x] secret.x secrets.x var.x vars.x data.x local.x",
    ],
    [
      "is a word for a placeholder",
      "dummy fake fixture sample example examples placeholder redacted hidden masked removed omitted",
    ],
    [
      "asks to be changed",
      "changeme change_me change-it changethis your your_key your-api-key yours insert insert_here n/a tbd todo",
    ],
    ["begins with my", "mypassword my_secret my-token my_key myapikey my_api_key my-api-key my_api-key"],
    [
      "repeats the name",
      "password some_password the-secret atoken an_apikey newkey old-value test_token api_key tokens credentials",
    ],
    ["repeats a short name", "pass pwd passwd passphrase credential apikey api-key test-pass _key"],
    ["is a repeated symbol", "*** **** ... ..... … xxx XXXX - --- _ ___ 0 000"],
    ["is written in capitals", "TOKEN MY_TOKEN A-B-C YOUR_OWN-KEY"],
    [
      "is a keyword of a programming language",
      "true false null nil none undefined void any unknown string str number int bool boolean byte bytes",
    ],
    [
      "is a keyword of a schema",
      "required optional varchar varchar(255) type typeof text, object; list) yes no on off uuid char",
    ],
    ["is a path", "/ /srv/x ~/x ./x ../x C:\\x d:/x https://x.example/y s3://bucket git+ssh://x"],
    [
      "is a file",
      "src/a.ts a.tsx a.js a.jsx a.mjs a.json a.yml a.yaml a.toml k.pem k.key k.crt x.env a.md a.htm a.html",
    ],
    ["is a line of a file", "src/a.ts:12 a.py:12:3 x-y/a_b.go:7"],
    ["is already redacted", "[redacted:secret] x[redacted:secret]y"],
  ])("%s: %s", (_, values) => {
    for (const value of values.split(" ")) expect(isPlaceholder(value), value).toBe(true);
    expect(isPlaceholder("/home/mira/projects/authentication/service")).toBe(true);
  });

  it.each([
    ["contains the symbol of a variable", "a$X a%A 1<x a@b x&y x(y) %1bc {1x} process1 xenv.y envx.1"],
    [
      "contains a word for a placeholder",
      "dummy1 1dummy xx ** .. a-password1 changed1 youäuser1 inserted! n/a1 0001 mypass-1 1password1",
    ],
    ["contains capitals", "TOKEN1 bSHOUT SHOUTb SHOUT_ A__B"],
    ["contains a keyword", "true1 1true nullable1 string;; varchar(x1) void!"],
    ["contains a path", "x~/a .../x1 1://x CD:/x9 a.ts1 a.ts:x1 a!b.ts xhttps!://y"],
  ])("is not a value that only %s: %s", (_, values) => {
    for (const value of values.split(" ")) expect(isPlaceholder(value), value).toBe(false);
  });

  it("is any word in capitals", () => {
    for (const value of ["SWORDFISH", "SWORD_FISH", "S-FISH"]) expect(isPlaceholder(value), value).toBe(true);
  });

  it("is a path, but not Base64 that begins with a slash", () => {
    const random = "/aB3dE5fG7hJ9k0xY";
    for (const value of [random, `${random}=`, `${random}==`]) expect(isPlaceholder(value), value).toBe(false);
    for (const value of [
      `~${random}`,
      random.slice(0, 14),
      `${random}===`,
      `${random}-a`,
      `/${"verylongname/".repeat(4)}x1`,
    ])
      expect(isPlaceholder(value), value).toBe(true);
  });
});

describe("random characters", () => {
  it("are measured by their entropy in bits per character", () => {
    expect(["", "aaaa", "abab", "abcd", "aaab"].map(entropy)).toEqual([0, 0, 1, 2, expect.closeTo(0.8113, 4)]);
  });

  it.each([
    ["aB3dE5fG7hJ9kL1m", true],
    ["abcdefgh-1234567890", false],
    ["ABCDEFGHIJKLMNOP1x", false],
    // Too short.
    ["aB3dE5fG7hJ9kL1", false],
    ["aBcDeFgHiJkLmNoP", false],
    ["0918273645546372", false],
    ["aB3dE5fG 7hJ9kL1m", false],
    // Hexadecimal, with and without variation.
    ["3f786850e387550f", true],
    ["3f78-6850-e387-550f", true],
    ["a1a1a1a1a1a1a1a1", false],
    ["3f786850e387550g", false],
    ["aaaaaaaaaaaaaaa1aaaaaaaaaaaaaaa", false],
    // The character class changes at every sixth character.
    ["abcdefg1hijklmnop2", true],
    ["abcdefg1hijklmnopq2", false],
    ["abc-defg1hijklm_nop2", true],
    ["abcdefG1HIJKLMNOp2", true],
    ["ABCDEFG1HIJKLMNOP2", true],
    ["authentication-service-production1", false],
    ["a1b1a1b1a1b1a1b1g1", false],
  ])("are recognised: %s is %s", (value, random) => {
    expect(isRandom(value)).toBe(random);
  });
});

describe("a password that people choose", () => {
  it.each([
    ["hunter2", true],
    ["hunte2", true],
    ["hunt2", false],
    ["hunter", false],
    ["hunter!", true],
    ["1234567", false],
    ["hunter 2", false],
    ["hunter(2)", false],
    ["hunter=>2", false],
    ["hunter::2", false],
    ["hunter=2:3", true],
    [`${"h".repeat(199)}2`, true],
    [`${"h".repeat(200)}2`, false],
  ])("is recognised: %s is %s", (value, chosen) => {
    expect(isPassword(value)).toBe(chosen);
  });
});

it("escapeRegExp returns a pattern that matches only the text itself", () => {
  const signs = [..."a.*+?^${}()|[]\\/-$1"];
  for (const sign of signs) {
    const pattern = new RegExp(`^${escapeRegExp(`x${sign}y`)}$`);
    expect(signs.filter((other) => pattern.test(`x${other}y`))).toEqual(signs.filter((other) => other === sign));
  }
});
