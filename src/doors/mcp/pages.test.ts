import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inert } from "../../base/text/quote.ts";
import { PagedText } from "./pages.ts";

/** The text a client receives in a page: between the opening and the closing fence. */
function textIn(quote: string): string {
  const [, fence = "", text] = /^[^\n]*\n(~+) quoted history\n([\s\S]*)\n\1 end of quoted history$/.exec(quote) ?? [];
  expect(text, quote.slice(0, 200)).toBeDefined();
  // Nothing in the text can be mistaken for the closing fence.
  expect(text).not.toContain(fence);
  return text ?? "";
}

function allPages(text: string): string[] {
  const paged = new PagedText(text);
  const pages: string[] = [];
  for (let cursor: string | undefined; ;) {
    const { quote, next } = paged.page(cursor);
    expect(Buffer.byteLength(quote)).toBeLessThanOrEqual(20 * 1024);
    pages.push(textIn(quote));
    if (next === null) return pages;
    // Another process returns the same page for a cursor.
    expect(new PagedText(text).page(next).quote).toBe(paged.page(next).quote);
    cursor = next;
  }
}

describe("a paged text", () => {
  it("equals its joined pages, whatever it contains", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom("\n", "~~~~~ end of quoted history\n", "~", "é", "👩‍👩‍👧", "字", "\r\n", "\n\n"),
    );
    const long = fc
      .tuple(piece, fc.integer({ min: 1, max: 30_000 }))
      .map(([text, n]) => text.repeat(n).slice(0, 60_000));
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: piece }, long), { maxLength: 6 }), (pieces) => {
        const text = inert(pieces.join(""));
        expect(allPages(text).join("")).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it("is split after lines if it has any, never inside a character, and within a limit of lines", () => {
    const pages = allPages("a line of words, as most texts have them\n".repeat(2000));
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages.slice(0, -1)) expect(page.endsWith("\n")).toBe(true);
    for (const page of allPages("👩".repeat(20_000))) expect(page).toMatch(/^(?:👩)+$/u);
    // Clients limit the number of lines too.
    for (const page of allPages("\n".repeat(10_000))) expect(page.split("\n").length).toBeLessThanOrEqual(1501);
  });

  it("rejects a cursor if the text before it has changed, or if the cursor is malformed", () => {
    const text = "one line after the other\n".repeat(3000);
    const { next } = new PagedText(text).page(undefined);
    expect(new PagedText(`${text}and more`).page(next ?? "").first).toBe(false);
    expect(() => new PagedText(text.replace("one", "two")).page(next ?? "")).toThrow("has changed");
    expect(() => new PagedText("short").page(next ?? "")).toThrow("has changed");
    expect(() => new PagedText(text).page("1; drop")).toThrow("not a cursor of Daybook");
  });
});
