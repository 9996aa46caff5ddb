import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { IMPORTER } from "../../places.ts";

/** `import()` of a package or URL that is known only at run time. */
export function importModule(name: string): Promise<unknown> {
  const { importModule: load } = createRequire(IMPORTER)(fileURLToPath(IMPORTER)) as {
    importModule: (name: string) => Promise<unknown>;
  };
  return load(name);
}
