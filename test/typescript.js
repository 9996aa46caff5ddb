// Lets Node import the TypeScript and the components of the sources and tests itself. Vite's own way of running modules takes several times
// as long to load the program, and each isolated test file loads it anew.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, threadId } from "node:worker_threads";

const DONE = Symbol.for("daybook.typescript");

/** Vitest evaluates this file again for each test file of a process. The thread of the hooks evaluates it as well. */
export function importTypeScript() {
  if (!isMainThread || globalThis[DONE] === true) return;
  globalThis[DONE] = true;
  register(import.meta.url);
}

importTypeScript();

/** Node's hook for the source text of a module. */
export async function load(url, context, nextLoad) {
  const [file = url] = url.split("?");
  // Components are made into scripts as the build does it.
  if (file.startsWith("file:") && (/\.(?:svelte|css)$/.test(file) || file.endsWith("/lib/lazy-highlight.ts"))) {
    const { svelteOnServer } = await import("../scripts/svelte-on-server.js");
    const path = `${fileURLToPath(file)}${url.slice(file.length)}`;
    const made = svelteOnServer().load(path);
    if (made) return { format: "module", source: made.code, shortCircuit: true };
  }
  if (!file.startsWith("file:") || !file.endsWith(".ts") || file.includes("/node_modules/"))
    return nextLoad(url, context);
  return { format: "module", source: await scriptOf(fileURLToPath(file)), shortCircuit: true };
}

/** Scripts that another process of this run has made are kept here; null outside a run, which alone would remove it. */
const KEPT = basename(tmpdir()).startsWith("daybook-tests-") ? join(tmpdir(), "scripts") : null;

async function scriptOf(path) {
  if (KEPT === null) return stripped(path);
  const name = createHash("sha1")
    .update(`${path} ${statSync(path).mtimeMs}`)
    .digest("hex");
  const kept = join(KEPT, name);
  try {
    return readFileSync(kept, "utf8");
  } catch {
    const script = await stripped(path);
    mkdirSync(KEPT, { recursive: true });
    const part = `${kept}.${process.pid}.${threadId}`;
    writeFileSync(part, script);
    renameSync(part, kept);
    return script;
  }
}

/** The file without its types, with a map of its lines. */
async function stripped(path) {
  const { transformSync } = await import("rolldown/utils");
  const options = { sourcemap: true, target: "es2023", tsconfig: false };
  const { code, map, errors } = transformSync(path, readFileSync(path, "utf8"), options);
  if (errors.length > 0) throw new SyntaxError(errors.map(({ message }) => `${path}: ${message}`).join("\n"));
  const lines = Buffer.from(JSON.stringify(map)).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${lines}`;
}
