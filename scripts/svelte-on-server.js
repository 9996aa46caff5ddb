// Compiles Svelte components to functions that return HTML, for the documents that the program writes (reports, sessions,
// narratives). Used by the build and by the tests, so that both run the same code.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { compile } from "svelte/compiler";

const RAW = "?raw";
/** Runs in a browser only, and would bring the highlighter's grammars with it. */
const HIGHLIGHTER = /\/web\/src\/lib\/lazy-highlight\.ts$/;
const NO_HIGHLIGHTER = "export const highlightLines = async () => null;";

/** A document has no buttons, and so no icons. */
const ICON = /^@lucide\/svelte\/icons\//;
const NO_ICON = "\0no-icon";

/** Class names are short and depend on the place of a component, not on that of the checkout. */
function cssHash({ hash, filename }) {
  const place = filename.replaceAll("\\", "/").replace(/^.*?\/(?=(?:src|web\/src)\/[^]*$)/, "");
  const name = `s${hash(place).slice(-3)}`;
  if ((places.get(name) ?? place) !== place)
    throw new Error(`${place} and ${places.get(name)} have the same class ${name}`);
  places.set(name, place);
  return name;
}

/** Components by their class names. */
const places = new Map();

/** A plugin for rolldown and for vite. */
export function svelteOnServer() {
  return {
    name: "svelte-on-server",
    enforce: "pre",
    resolveId(id, importer) {
      if (ICON.test(id)) return NO_ICON;
      return id.endsWith(`.css${RAW}`) && importer ? resolve(dirname(importer), id.slice(0, -RAW.length)) + RAW : null;
    },
    load(id) {
      if (id === NO_ICON) return { code: "export default () => undefined;", moduleType: "js" };
      if (id.endsWith(`.css${RAW}`)) {
        const text = readFileSync(id.slice(0, -RAW.length), "utf8");
        return { code: `export default ${JSON.stringify(text)};`, moduleType: "js" };
      }
      if (HIGHLIGHTER.test(id.replaceAll("\\", "/"))) return { code: NO_HIGHLIGHTER, moduleType: "js" };
      if (!id.endsWith(".svelte")) return null;
      const { js } = compile(readFileSync(id, "utf8"), {
        filename: id,
        generate: "server",
        // The styles of the components a document uses come with it, so it can hold them itself.
        css: "injected",
        runes: true,
        cssHash,
      });
      return { code: js.code, moduleType: "js" };
    },
  };
}
