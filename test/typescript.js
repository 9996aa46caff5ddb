// Lets Node import the TypeScript of the sources and tests itself. Vite's own way of running modules takes five times as
// long to load the program, and each isolated test file loads it anew. A file on its own is stripped of its types in less
// time than a cache of the results would need to be checked.
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transformSync } from "rolldown/utils";

const DONE = Symbol.for("daybook.typescript");

// Vitest evaluates this file again for each test file of a process. The thread of the hooks evaluates it as well.
if (isMainThread && globalThis[DONE] !== true) {
  globalThis[DONE] = true;
  register(import.meta.url);
}

/** Node's hook for the source text of a module. */
export async function load(url, context, nextLoad) {
  const [file = url] = url.split("?");
  if (!file.startsWith("file:") || !file.endsWith(".ts") || file.includes("/node_modules/"))
    return nextLoad(url, context);
  const path = fileURLToPath(file);
  const { code, map, errors } = transformSync(path, await readFile(path, "utf8"), {
    sourcemap: true,
    target: "es2023",
    tsconfig: false,
  });
  if (errors.length > 0) throw new SyntaxError(errors.map(({ message }) => `${path}: ${message}`).join("\n"));
  const lines = Buffer.from(JSON.stringify(map)).toString("base64");
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${lines}`;
  return { format: "module", source, shortCircuit: true };
}
