import { readFileSync, statSync } from "node:fs";
import { CODE, MANIFEST } from "../places.ts";

const manifest: unknown = JSON.parse(readFileSync(MANIFEST, "utf8"));

export const VERSION: string =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0.0.0";

/** Distinguishes two builds of the same version. */
export function buildOf(): string {
  return `${VERSION} ${statSync(CODE).mtimeMs}`;
}
