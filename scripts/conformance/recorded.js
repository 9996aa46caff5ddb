// A run that was kept: what was typed and served, how Daybook classified the records, and the session files, so that the
// comparison can be repeated without the agent, and a newer release compared with it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

const FOLDER = fileURLToPath(new URL("../../test/fixtures/conformance/", import.meta.url));
/** Where the agents' homes stand in what is kept. */
const HOME = "/srv/dev";

const pathOf = (name) => join(FOLDER, `${name}.json.br`);

/** Only session files of text are kept: the home is replaced in them, which a database would not survive. */
export function record(name, version, home, { typed, served, store, loses }, reasons) {
  const files = Object.fromEntries(
    readdirSync(store, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(jsonl|meta\.json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [
        relative(store, path).split(sep).join("/"),
        shortened(neutral(readFileSync(path, "utf8"), home)),
      ]),
  );
  const text = JSON.stringify({ version, typed, served, loses, reasons, files });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(pathOf(name), brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }));
}

/** Null where no run of this agent is kept. */
export function recorded(name) {
  return existsSync(pathOf(name)) ? JSON.parse(brotliDecompressSync(readFileSync(pathOf(name))).toString()) : null;
}

/** The agents with a run that is kept. */
export function recordedNames() {
  return readdirSync(FOLDER).flatMap((name) => (name.endsWith(".json.br") ? [name.slice(0, -".json.br".length)] : []));
}

/** Writes the session files of a kept run into a directory. */
export function unpack(name, into) {
  const { files, ...rest } = recorded(name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    writeFileSync(join(into, path), text);
  }
  return rest;
}

const dashed = (path) => path.replaceAll(/[^A-Za-z0-9]/g, "-");

/** Agents also name directories after the path of the work, with other marks between its parts, and the machine. */
function neutral(text, home) {
  const placed = text.replaceAll(home, HOME).replaceAll(dashed(home), dashed(HOME));
  return placed.replaceAll(/"osVersion":"[^"]*"/g, '"osVersion":"Linux"');
}

/** The agents' own instructions and descriptions of tools are long, and nothing of what is compared. */
const LONGEST = 600;

const cut = (_, value) => (typeof value === "string" && value.length > LONGEST ? `${value.slice(0, 100)} […]` : value);

function shortened(text) {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : JSON.stringify(JSON.parse(line), cut)))
    .join("\n");
}
