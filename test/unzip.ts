import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { expect } from "vitest";

/** Names and contents of a zip file, by its central directory. */
export function unzip(path: string): Record<string, string> {
  const bytes = readFileSync(path);
  const found: Record<string, string> = {};
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  let at = bytes.readUInt32LE(end + 16);
  for (let n = bytes.readUInt16LE(end + 10); n > 0; n--) {
    const [packed, , nameLength] = [bytes.readUInt32LE(at + 20), 0, bytes.readUInt16LE(at + 28)];
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    found[name] = inflateRawSync(bytes.subarray(start, start + packed)).toString("utf8");
    at += 46 + nameLength;
  }
  return found;
}
