// The narrator used by scripts/narrate-kills.js. It lies on the first attempt and logs every request it gets. It runs
// in the workspace, where answers are stored, so it can see for itself whether it is asked for an answer that is
// already there.
import { execFileSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addLies } from "./lies.js";

const NARRATOR = fileURLToPath(new URL("../examples/narrator.mjs", import.meta.url));
const [log, pause] = process.argv.slice(2);
const input = readFileSync(0, "utf8");
const honest = execFileSync(process.execPath, [NARRATOR], { input, encoding: "utf8" });
const isFirst = !input.includes("was rejected in these points");
const text = isFirst ? JSON.stringify(addLies(JSON.parse(honest))) : honest;
const folder = join("narration", "answers");
const stored = readdirSync(folder).filter((name) => name.endsWith(".json"));
const again = stored.some((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).text === text);
appendFileSync(log, `${JSON.stringify({ again })}\n`);
await new Promise((resolve) => setTimeout(resolve, Number(pause)));
process.stdout.write(text);
