import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { ZipWriter } from "./zip.ts";

it("ZipWriter writes headers with name, sizes, checksum and time, and data that inflates to the original", async () => {
  const dir = mkdtempSync(join(tmpdir(), "daybook-zip-"));
  try {
    const big = Buffer.alloc(3_000_000, "abc\n");
    writeFileSync(join(dir, "big"), big);
    const path = join(dir, "x.zip");
    const zip = new ZipWriter(path, Date.parse("2026-05-13T12:34:56Z"));
    await zip.add("empty.txt", { text: "" });
    const sum = await zip.add("ü/big.txt", { path: join(dir, "big") });
    zip.finish();
    zip.close();
    expect(sum).toMatch(/^[0-9a-f]{64}$/);
    const bytes = readFileSync(path);
    const second = bytes.indexOf(Buffer.from([0x50, 0x4b, 0x03, 0x04]), 4);
    const [crc, packed, size] = [14, 18, 22].map((at) => bytes.readUInt32LE(second + at));
    const name = "ü/big.txt";
    const start = second + 30 + Buffer.byteLength(name);
    expect(bytes.toString("utf8", second + 30, start)).toBe(name);
    const plain = inflateRawSync(bytes.subarray(start, start + (packed ?? 0)));
    expect(plain.equals(big)).toBe(true);
    expect([crc, size]).toEqual([crc32(big), big.length]);
    const central = bytes.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    expect(bytes.readUInt16LE(central + 12)).toBe((12 << 11) | (34 << 5) | 28);
    expect(bytes.readUInt16LE(bytes.length - 12)).toBe(2);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
