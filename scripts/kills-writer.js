// The writer of scripts/narrate-kills.js: lies when it is asked first, and writes down every request that reaches it. Works in the
// workspace, where answers are kept: whether it is asked for one that stands there already, it sees for itself.
import { execFileSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lied } from "./lies.js";

const NARRATOR = fileURLToPath(new URL("../examples/narrator.mjs", import.meta.url));
const [log, pause] = process.argv.slice(2);
const input = readFileSync(0, "utf8");
const honest = execFileSync(process.execPath, [NARRATOR], { input, encoding: "utf8" });
const isFirst = !input.includes("was rejected in these points");
const text = isFirst ? JSON.stringify(lied(JSON.parse(honest))) : honest;
const folder = join("narration", "answers");
const kept = readdirSync(folder).filter((name) => name.endsWith(".json"));
const again = kept.some((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).text === text);
appendFileSync(log, `${JSON.stringify({ again })}\n`);
await new Promise((resolve) => setTimeout(resolve, Number(pause)));
process.stdout.write(text);
