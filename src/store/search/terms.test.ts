import { expect, test } from "vitest";
import { toIndexText } from "./terms.ts";

test("every letter of a script without spaces is cut into pairs, wherever Unicode has put it", () => {
  const script =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70]/u;
  const missed: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const letter = code >= 0xd800 && code <= 0xdfff ? "" : String.fromCodePoint(code);
    // Some characters are only another spelling of one that is found.
    if (!script.test(letter) || letter.normalize("NFC") !== letter) continue;
    const pair = toIndexText(`a${letter}${letter}b`);
    if (pair !== `a ${letter}${letter} ${letter} b`) missed.push(code.toString(16));
  }
  expect(missed).toEqual([]);
});

test("what has spaces of its own is left as it is", () => {
  const text = "ran 3 tests ✓ in 2 s → done 🎉 é";
  expect(toIndexText(text)).toBe(text);
});
