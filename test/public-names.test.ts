import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Every value that users of the package can import. A name added here is a promise. */
const NAMES = {
  index: [
    "Daybook",
    "DaybookError",
    "LogWriter",
    "RISKS",
    "Redactor",
    "SEARCH_KINDS",
    "apply",
    "createReplay",
    "followSession",
    "listSessions",
    "logRecords",
    "openSession",
    "openSources",
    "readLog",
    "readSession",
    "readSessions",
    "redact",
    "registerSource",
    "renderHtml",
    "renderMarkdown",
    "renderStandup",
    "replay",
    "risksOf",
    "sessionRecords",
    "sourceIds",
    "validateFile",
  ],
  kit: [
    "Beside",
    "DocumentLines",
    "JsonLines",
    "Recent",
    "RecentMap",
    "RecordLines",
    "SavedMap",
    "blocksOf",
    "callIn",
    "fieldsByType",
    "findLogs",
    "freshChat",
    "freshTree",
    "imagesIn",
    "iso",
    "lookAhead",
    "millis",
    "num",
    "obj",
    "objects",
    "parsedInput",
    "placed",
    "placedIn",
    "placedValue",
    "readChat",
    "recordBeside",
    "recordIn",
    "replaceTool",
    "sniff",
    "str",
    "testSource",
    "textOf",
    "tokensIn",
    "treeOwner",
    "wholeListTool",
    "writeTool",
  ],
  schema: ["RECORD_TYPES", "parseRecord", "problemsOf", "recordJsonSchema"],
} as const;

const built = (file: string): URL => new URL(`../dist/${file}`, import.meta.url);

/** What the last statement of a file of declarations exports. `scripts/check-package.js` has the file compiled. */
function declaredIn(file: URL): { values: string[]; types: string[] } {
  const [, list = ""] = /^export \{ (.*) \};\n$/m.exec(readFileSync(file, "utf8")) ?? [];
  const names = list.split(", ").map((one) => one.replace(/^(type )?.* as /, "$1"));
  return {
    values: names.filter((name) => !name.startsWith("type ")),
    types: names.filter((name) => name.startsWith("type ")),
  };
}

describe.each(["index", "kit", "schema"] as const)("the entry %s of the package", (entry) => {
  it("exports these names and no others", () => {
    const program = `console.log(JSON.stringify(Object.keys(await import("${built(`${entry}.js`).href}"))))`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect((JSON.parse(printed) as string[]).toSorted()).toEqual(NAMES[entry].toSorted());
  });

  it("declares them as values, and everything else as types", () => {
    const declared = declaredIn(built(`${entry}.d.ts`));
    expect(declared.values.toSorted()).toEqual(NAMES[entry].toSorted());
    expect(declared.types).toContain(`type ${{ index: "Turn", kit: "Source", schema: "ParseResult" }[entry]}`);
  });
});
