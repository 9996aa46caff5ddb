import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { SqlValue } from "../../base/io/sqlite.ts";
import { DamagedIndex } from "./damaged-index.ts";

/** Compresses long JSON for a column: builder states are large, repetitive and rarely read. */
export function packText(text: string): Uint8Array {
  return brotliCompressSync(Buffer.from(text, "utf8"), { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } });
}

export function unpackText(value: SqlValue | undefined): string {
  try {
    return value instanceof Uint8Array ? brotliDecompressSync(value).toString("utf8") : "null";
  } catch (error) {
    throw new DamagedIndex(error);
  }
}
