import { describe, expect, it } from "vitest";
import { displayWidth, fit, plain } from "./inert.ts";

/** Compares the fast path of measuring widths with `Intl.Segmenter`, for every character below the surrogates. */
describe("the display width of a text", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const graphemes = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment);

  it("is the sum of the widths of its graphemes, with and without the fast path", () => {
    const wrong: string[] = [];
    for (let code = 0x20; code < 0xd800; code++) {
      const c = String.fromCharCode(code);
      const text = `x${c}${c}字${c}가`;
      const single = graphemes(c).length === 1 && displayWidth(c);
      const expected = graphemes(text).length === 6 ? 1 + 3 * Number(single) + 4 : null;
      if (expected !== null && displayWidth(text) !== expected) wrong.push(code.toString(16));
      // A character that combines with its neighbour must not take the fast path.
      if (expected === null && displayWidth(text) >= 5 + 3 * displayWidth(c)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it("is reduced by cutting between graphemes", () => {
    expect(fit("日本語のテキスト", 8)).toBe("日本語…");
    expect(fit("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
    expect(fit("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
    expect(fit("→ ok │ done", 6)).toBe("→ ok …");
  });

  it("is two for an emoji in any Unicode block, and one for other symbols", () => {
    for (const emoji of ["✅", "⚡", "⭐", "🚀", "🇩🇪", "⚠️", "❤️", "👩‍👩‍👧", "🟢", "⌛"])
      expect([emoji, displayWidth(emoji)]).toEqual([emoji, 2]);
    for (const sign of ["✓", "✗", "▲", "©", "→", "1"]) expect([sign, displayWidth(sign)]).toEqual([sign, 1]);
  });
});

it("plain treats a character the same with and without an emoji in the text", () => {
  const differing = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (c) => plain(`${c} 😀`) !== `${plain(c)} 😀`,
  );
  expect(differing).toEqual([]);
});
