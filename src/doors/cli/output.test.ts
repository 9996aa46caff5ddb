import { expect, it } from "vitest";
import { gateOutput, isAsciiOnly, paintFor } from "./output.ts";
import type { Io } from "./io.ts";
import { displayWidth } from "../../base/text/inert.ts";

function ioWith(env: Io["env"], outIsTerminal = true): { io: Io; written: string[] } {
  const written: string[] = [];
  const out = (text: string): void => void written.push(text);
  return { io: { out, err: out, env, now: 0, columns: 80, outIsTerminal, errIsTerminal: false }, written };
}

it("isAsciiOnly decides by the encoding in the locale's name", () => {
  for (const LANG of ["C", "POSIX", "de_DE.ISO-8859-1"]) expect([LANG, isAsciiOnly({ LANG })]).toEqual([LANG, true]);
  for (const LANG of ["C.UTF-8", "en_US.UTF-8", "de_DE.utf8", "de_DE", "", undefined])
    expect([LANG, isAsciiOnly({ LANG })]).toEqual([LANG, false]);
  expect(isAsciiOnly({ LANG: "en_US.UTF-8", LC_ALL: "C" })).toBe(true);
  expect(isAsciiOnly({ LANG: "C", LC_CTYPE: "C.UTF-8" })).toBe(false);
});

it("in an ASCII locale symbols are replaced by ASCII of the same width, except in documents", () => {
  const text = "✓ ✗ ■ … · – → ↳ └ ─ ▲ ● ○ █ ░ “a” ×";
  const { io, written } = ioWith({ LANG: "C" });
  gateOutput(io).out(text);
  gateOutput(io).document?.(text);
  expect(written[0]).toMatch(/^[\x20-\x7e]*$/);
  expect(displayWidth(written[0] ?? "")).toBe(displayWidth(text));
  expect(written[1]).toBe(text);
});

it("colour is used on capable terminals or if forced, and never if disabled", () => {
  const isColoured = (env: Io["env"], outIsTerminal: boolean, wanted = true): boolean =>
    paintFor(ioWith(env, outIsTerminal).io, wanted).red("x") !== "x";
  expect(isColoured({}, true)).toBe(true);
  expect(isColoured({}, false)).toBe(false);
  expect(isColoured({ NO_COLOR: "1" }, true)).toBe(false);
  expect(isColoured({ TERM: "dumb" }, true)).toBe(false);
  expect(isColoured({ FORCE_COLOR: "1" }, false)).toBe(true);
  expect(isColoured({ FORCE_COLOR: "1", NO_COLOR: "1", TERM: "dumb" }, false)).toBe(true);
  expect(isColoured({ FORCE_COLOR: "0" }, true)).toBe(false);
  expect(isColoured({ FORCE_COLOR: "1" }, true, false)).toBe(false);
});
