// Loads a module of src as one bundle, so that what a script generates never depends on a stale build.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { svelteOnServer } from "./svelte-on-server.js";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function loadBundled(input) {
  const made = await rolldown({
    input: join(root, input),
    platform: "node",
    external: [/^node:/, /^(?!@lucide\/)@?[a-z]/],
    plugins: [svelteOnServer()],
  });
  const { output } = await made.generate({ format: "esm", codeSplitting: false });
  // Written into dist, because modules find neighbouring files by their own location.
  mkdirSync(join(root, "dist"), { recursive: true });
  const file = join(root, `dist/bundled-${process.pid}-${input.replaceAll(/\W/g, "-")}.mjs`);
  writeFileSync(file, output[0].code);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}
