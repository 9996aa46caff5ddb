import { expect, test } from "vitest";
import { toIndexText } from "./terms.ts";

test("toIndexText splits letters of scripts without spaces into pairs, in every Unicode block", () => {
  const script =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70]/u;
  const missed: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const letter = code >= 0xd800 && code <= 0xdfff ? "" : String.fromCodePoint(code);
    // Some characters are only another encoding of one that is checked.
    if (!script.test(letter) || letter.normalize("NFC") !== letter) continue;
    const pair = toIndexText(`a${letter}${letter}b`);
    if (pair !== `a ${letter}${letter} ${letter} b`) missed.push(code.toString(16));
  }
  expect(missed).toEqual([]);
});

test("toIndexText leaves text with spaces unchanged", () => {
  const text = "ran 3 tests ✓ in 2 s → done 🎉 é";
  expect(toIndexText(text)).toBe(text);
});
