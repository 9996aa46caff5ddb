import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scratch, type Roots } from "../store/fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));
const PROJECTS = ["shop-api", "platform-infra", "weather-etl", "trailmate-ios", "quarry"];

/** A month of sessions of one person, as files of its own: tests write to them. `home`: where their projects are made. */
export function month(home?: string): Roots {
  const dir = scratch("month");
  cpSync(MONTH, dir, { recursive: true });
  if (home !== undefined) {
    for (const project of PROJECTS) mkdirSync(join(home, "src", project), { recursive: true });
    for (const file of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".jsonl")) continue;
      const text = readFileSync(join(dir, file), "utf8");
      writeFileSync(join(dir, file), text.replaceAll("/home/nia/", `${home}/`));
    }
  }
  return { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] };
}

/** The evening of the last day of that month. */
export const EVENING: number = Date.UTC(2026, 8, 18, 20);
