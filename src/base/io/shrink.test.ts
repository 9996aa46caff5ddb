import { describe, expect, it } from "vitest";
import { LineShrinker } from "./shrink.ts";

const LIMITS = { string: 16, text: 96 };

function shrunk(line: string, step: number = line.length): Record<string, string> {
  const shrinker = new LineShrinker(LIMITS);
  const bytes = Buffer.from(line);
  for (let at = 0; at < bytes.length; at += step) shrinker.push(bytes.subarray(at, at + step));
  return JSON.parse(shrinker.finish() ?? "") as Record<string, string>;
}

const MARK = / …\[(\d+) bytes left out\]$/;

describe("a long string", () => {
  // Every way to write a character: plain, escaped, `\uXXXX`, surrogate pair, UTF-8; and a lone high surrogate, before
  // a letter and before a pair.
  const UNIT = String.raw`a\\\"\n\u00e9\ud83d\ude00ü🙂\uD83DA\ud83d\ud83d\ude00`;

  it.each([1, 7, 4096])("is truncated between characters, wherever the limit falls (%i bytes at a time)", (step) => {
    for (let shift = 0; shift <= Buffer.byteLength(UNIT); shift++) {
      const literal = "x".repeat(shift) + UNIT.repeat(6);
      const whole = JSON.parse(`"${literal}"`) as string;
      const { text = "", end } = shrunk(`{"text":"${literal}","end":"e"}`, step);
      const kept = text.replace(MARK, "");
      expect(end).toBe("e");
      expect(whole.startsWith(kept) && kept.length < whole.length).toBe(true);
      const [before, after] = [kept.charCodeAt(kept.length - 1), whole.charCodeAt(kept.length)];
      const isPair = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
      expect(isPair, `${shift}`).toBe(false);
      expect(Number(MARK.exec(text)?.[1])).toBeGreaterThan(0);
    }
  });

  it("of high surrogates alone is truncated, too", () => {
    const { text = "" } = shrunk(`{"text":"${String.raw`\ud83d`.repeat(99)}"}`);
    expect(text).toMatch(MARK);
  });

  it("is kept in full if it is text and there is room, but not if it is encoded bytes", () => {
    const words = "is text of some length";
    const bytes = "data:image/png;base64,iVBORw0KGgo=".repeat(2);
    expect(shrunk(JSON.stringify({ bytes, words }))).toEqual({
      bytes: `${bytes.slice(0, 16)} …[${bytes.length - 16} bytes left out]`,
      words,
    });
    const more = shrunk(JSON.stringify({ words: words.repeat(9), more: words }));
    expect(more["words"]).toMatch(MARK);
    // After a string that used up all the room, each further string keeps only its beginning.
    expect(more["more"]).toBe("is text of some  …[6 bytes left out]");
  });
});
