import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FIFTH, FIRST, FOURTH, SECOND, SIXTH, THIRD } from "../../../test/planted-first-sight.ts";
import { redact } from "./redact.ts";

const [UPPER, LOWER, DIGITS] = ["ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"];
const ALPHABETS: Readonly<Record<string, string>> = {
  h: `${DIGITS}abcdef`,
  H: `${DIGITS}ABCDEF`,
  a: UPPER + LOWER + DIGITS,
  w: `${UPPER}${LOWER}${DIGITS}-_`,
  b: `${UPPER}${LOWER}${DIGITS}+/`,
  s: `${UPPER}${LOWER}${DIGITS}!#%&()*+,-.:;<=>?@[]^_{|}~`,
  U: UPPER + DIGITS,
  l: LOWER + DIGITS,
  L: UPPER + LOWER,
  d: DIGITS,
  B: "023456789ACDEFGHJKLMNPQRSTUVWXYZ",
};

let state = 987_654_321;
function below(limit: number): number {
  // xorshift: the same on every machine.
  state ^= state << 13;
  state >>>= 0;
  state ^= state >>> 17;
  state ^= state << 5;
  state >>>= 0;
  return state % limit;
}

function drawn(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join("");
}

/** Passwords as generators and people make them. */
const PASSWORDS: Readonly<Record<string, () => string>> = {
  letters: () => drawn(UPPER + LOWER, 16),
  "letters and digits": () => `${drawn(UPPER + LOWER + DIGITS, 4)}7${drawn(UPPER + LOWER + DIGITS, 7)}`,
  marks: () => `${drawn(UPPER + LOWER, 4)}!${drawn(UPPER + LOWER, 5)}4#${drawn(LOWER, 2)}`,
  words: () => `${["Tulpe", "kaffee-", "Rocket_"].at(below(3))}garten${below(90) + 10}`,
};

function secretFor(kind: string, password: () => string): string {
  if (kind === "") return password();
  if (kind === "u") return [8, 4, 4, 4, 12].map((length) => drawn(ALPHABETS["h"] ?? "", length)).join("-");
  return drawn(ALPHABETS[kind.charAt(0)] ?? "", Number(kind.slice(1)));
}

function leaked(templates: readonly string[], password = PASSWORDS["letters"]): string[] {
  if (!password) throw new Error("no such passwords");
  state = 987_654_321;
  return templates.filter((template) => {
    const secrets: string[] = [];
    const text = template.replaceAll(/«(\w*)»/g, (_, kind: string) => {
      secrets.push(secretFor(kind, password));
      return secrets.at(-1) ?? "";
    });
    const hidden = redact(text);
    return secrets.some(
      (secret) => hidden.includes(secret) || (secret.length >= 14 && hidden.includes(secret.slice(-10))),
    );
  });
}

it.each([
  ["first", FIRST, 8],
  ["second", SECOND, 14],
  ["third", THIRD, 18],
  ["fourth", FOURTH, 20],
  ["fifth", FIFTH, 16],
  ["sixth", SIXTH, 2],
])("most of the %s set of texts written without a look at the rules are hidden", (_, templates, most) => {
  const out = leaked(templates);
  expect(out.length, out.join("\n")).toBeLessThanOrEqual(most);
});

/** Written like the sets before; texts of sessions, some of several lines. `\\e` begins a terminal colour. */
const SESSIONS = readFileSync(new URL("../../../test/planted-sessions.txt", import.meta.url), "utf8")
  .split(/^~~~\n/m)
  .map((text) => text.replace(/\n$/, "").replaceAll(String.raw`\e`, "\u001b"));

it.each([
  ["letters", 26],
  ["letters and digits", 34],
  ["marks", 44],
  ["words", 90],
])("most of the secrets of sessions are hidden, with passwords of %s", (name, most) => {
  expect(SESSIONS.length).toBeGreaterThan(950);
  const out = leaked(SESSIONS, PASSWORDS[name]);
  expect(out.length, out.join("\n")).toBeLessThanOrEqual(most);
});
