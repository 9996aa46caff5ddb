import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replaceFolder, writeAtomic, writeText } from "./write.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "daybook-write-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const writeFileWith =
  (text: string) =>
  (folder: string): void =>
    writeText(join(folder, "a.txt"), text);
const read = (target: string): string => readFileSync(join(target, "a.txt"), "utf8");

function fails(): void {
  throw new Error("again");
}

describe("replaceFolder", () => {
  it("creates the directory, replaces it completely, and leaves no temporary files", () => {
    const target = join(dir, "deep/ws");
    replaceFolder(target, writeFileWith("one"));
    writeFileSync(join(target, "stale.txt"), "");
    replaceFolder(target, writeFileWith("two"));
    expect(readdirSync(target)).toEqual(["a.txt"]);
    expect(read(target)).toBe("two");
    expect(readdirSync(join(dir, "deep"))).toEqual(["ws"]);
    if (process.platform !== "win32") expect(statSync(target).mode & 0o077).toBe(0);
  });

  it("keeps the old directory if writing the new one fails", () => {
    const target = join(dir, "ws");
    replaceFolder(target, writeFileWith("one"));
    const fail = (folder: string): void => {
      writeFileWith("half")(folder);
      throw new Error("disk full");
    };
    expect(() => replaceFolder(target, fail)).toThrow("disk full");
    expect(read(target)).toBe("one");
    expect(readdirSync(dir)).toEqual(["ws"]);
  });

  it("recovers from a crash: removes an incomplete new directory and restores the old one", () => {
    const target = join(dir, "ws");
    mkdirSync(join(dir, ".ws.daybook-new"));
    mkdirSync(join(dir, ".ws.daybook-old"));
    writeFileSync(join(dir, ".ws.daybook-old/a.txt"), "one");
    expect(() => replaceFolder(target, fails)).toThrow("again");
    expect(read(target)).toBe("one");
    expect(readdirSync(dir)).toEqual(["ws"]);
  });

  it("throws while another call is writing the same directory", () => {
    const target = join(dir, "ws");
    expect(() => replaceFolder(target, () => replaceFolder(target, writeFileWith("inner")))).toThrow(
      "another daybook is writing",
    );
    expect(existsSync(target)).toBe(false);
  });
});

it("writeAtomic replaces the file and leaves no temporary file", () => {
  writeAtomic(join(dir, "x/y.json"), "{}\n");
  writeAtomic(join(dir, "x/y.json"), "[]\n");
  expect(readdirSync(join(dir, "x"))).toEqual(["y.json"]);
  expect(readFileSync(join(dir, "x/y.json"), "utf8")).toBe("[]\n");
});
