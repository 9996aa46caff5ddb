import { appendFileSync, mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packFrame, readPiece } from "./frames.ts";

const path = (): string => join(mkdtempSync(join(tmpdir(), "daybook-frames-")), "log.br");
const frame = (text: string): Buffer => packFrame(Buffer.from(text, "utf8"));

it("readPiece reads any range in any order while the log grows", () => {
  const file = path();
  const texts = Array.from({ length: 40 }, (_, i) => `${i} ${"ä".repeat(i * 3)}\n`);
  let whole = Buffer.alloc(0);
  for (const text of texts) {
    appendFileSync(file, frame(text));
    whole = Buffer.concat([whole, Buffer.from(text)]);
    for (const at of [whole.length - 3, 0, Math.floor(whole.length / 2)]) {
      const bytes = Math.min(25, whole.length - at);
      expect(readPiece(file, at, bytes).toString()).toBe(whole.toString("utf8", at, at + bytes));
    }
  }
  expect(readPiece(file, 0, whole.length).toString()).toBe(whole.toString());
  expect(readPiece(file, whole.length + 5, 10).toString()).toBe("");
});

it("readPiece reads frames that were written after the log was truncated", () => {
  const file = path();
  const first = frame("first\n");
  writeFileSync(file, Buffer.concat([first, frame("never committed\n"), frame("nor this\n")]));
  expect(readPiece(file, 22, 8).toString()).toBe("nor this");
  truncateSync(file, first.length);
  appendFileSync(file, Buffer.concat([frame("short\n"), frame("and then a longer one\n")]));
  expect(readPiece(file, 12, 21).toString()).toBe("and then a longer one");
  expect(readPiece(file, 6, 5).toString()).toBe("short");
});

it("readPiece stops where a crash left zeros", () => {
  const file = path();
  writeFileSync(file, Buffer.concat([frame("all there is\n"), Buffer.alloc(1_000_000)]));
  expect(readPiece(file, 4, 100).toString()).toBe("there is\n");
});
