#!/usr/bin/env node
// Writes docs/schema/record.v1.schema.json from src/record/schema.ts; with --check only compares.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadBundled } from "./bundled.js";
import { writeGenerated } from "./generated.js";

const { recordJsonSchema } = await loadBundled("src/record/schema.ts");

mkdirSync(fileURLToPath(new URL("../docs/schema", import.meta.url)), { recursive: true });
writeGenerated(
  "docs/schema/record.v1.schema.json",
  `${JSON.stringify(recordJsonSchema(), null, 2)}\n`,
  "gen-schema.js",
);
