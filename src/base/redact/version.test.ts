import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { RULES_VERSION } from "./version.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

it("RULES_VERSION is the hash of the rules; after a change, write the expected value into version.ts", () => {
  const hash = createHash("sha256");
  const files = readdirSync(HERE).filter((name) => /(?<!\.test)\.ts$/.test(name) && name !== "version.ts");
  for (const name of files.toSorted()) hash.update(`${name}\n${readFileSync(join(HERE, name), "utf8")}`);
  const lock = JSON.parse(readFileSync(join(HERE, "../../../package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string }>;
  };
  for (const [name, { version }] of Object.entries(lock.packages))
    if (name.startsWith("node_modules/@secretlint/")) hash.update(`${name} ${version}\n`);
  expect(RULES_VERSION).toBe(hash.digest("hex").slice(0, 12));
});
