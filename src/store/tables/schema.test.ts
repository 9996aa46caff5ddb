import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { INDEX_VERSION, SCHEMA } from "./schema.ts";

/** Version and hash of the tables when the version was last raised. */
const TABLES = { version: 47, hash: "57482c4ea7aa" };

it("the table schema has not changed without a new version (if it has: raise TABLES in schema.ts and here)", () => {
  // Comments may change without a new version.
  const tables = SCHEMA.replace(/^ *--.*\n/gm, "");
  const hash = createHash("sha256").update(tables).digest("hex").slice(0, 12);
  expect({ version: Number(INDEX_VERSION.split(",")[0]), hash }).toEqual(TABLES);
});
