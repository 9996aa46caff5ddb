import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../../../test/store/fixture.ts";
import { openIn } from "./terminal.ts";

it("a terminal gets the command as one word, whatever it contains, and outlives the caller", async () => {
  const file = join(scratch("terminal"), "ran");
  const write = `require("fs").writeFileSync(process.argv[1], process.argv[2])`;
  const command = `cd '/a b' && claude --resume "$(id)"; 'x'`;
  await openIn([process.execPath, "-e", write, file], command);
  await expect.poll(() => readFileSync(file, "utf8"), { timeout: 10_000 }).toBe(command);
});

it("a terminal that is not installed is said", async () => {
  await expect(openIn(["/nowhere/terminal"], "true")).rejects.toThrow("ENOENT");
});
