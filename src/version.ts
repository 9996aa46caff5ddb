import { readFileSync } from "node:fs";
import { MANIFEST } from "./places.ts";

const manifest: unknown = JSON.parse(readFileSync(MANIFEST, "utf8"));

export const VERSION: string =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0.0.0";
