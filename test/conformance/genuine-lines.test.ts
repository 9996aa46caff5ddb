import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSession as readCopilot } from "../../src/agents/copilot/read.ts";
import { fixtures as copilot } from "../../src/agents/copilot/testing.ts";
import { readSession as readGemini } from "../../src/agents/gemini/read.ts";
import { fixtures as gemini } from "../../src/agents/gemini/testing.ts";
import { readSession as readQwen } from "../../src/agents/qwen/read.ts";
import { fixtures as qwen } from "../../src/agents/qwen/testing.ts";
import { shapeOf } from "../../src/agents/kit/testing.ts";

describe.each([
  { name: "copilot", readSession: readCopilot, fixtures: copilot },
  { name: "gemini", readSession: readGemini, fixtures: gemini },
  { name: "qwen", readSession: readQwen, fixtures: qwen },
])("$name", ({ readSession, fixtures }) => {
  const { corpusFiles, readPath, readWithCursors, refOf, scratch, writeSession } = fixtures;
  const files = corpusFiles();

  describe.each(files.map((path) => [join(basename(dirname(path)), basename(path)), path] as const))(
    "%s",
    (_, path) => {
      it("contains no unknown or corrupt record and no unknown field", () => {
        const reading = readSession(refOf(path), null, { detail: "full" });
        const entries = [...reading];
        expect(entries.map((entry) => entry.line)).toEqual(entries.map((_entry, i) => i + 1));
        expect(entries.filter((entry) => entry.class === "unknown" || entry.class === "corrupt")).toEqual([]);
        expect(reading.drift()).toMatchObject({ unknownTypes: {}, unknownFields: {} });
      });

      it("gives the same entries when reading resumes from any cursor", () => {
        const { entries, cursors } = readWithCursors(path);
        for (const cursor of cursors) expect(readPath(path, {}, cursor)).toEqual(entries.slice(cursor.line));
      });

      it("is classified the same with less detail", () => {
        const full = readPath(path).map(shapeOf);
        for (const detail of ["lean", "usage"] as const) expect(readPath(path, { detail }).map(shapeOf)).toEqual(full);
      });
    },
  );

  describe("a growing file", () => {
    // The longest file of a moderate size: larger ones are mostly the output of one command.
    const whole = readFileSync(
      files
        .map((path) => ({ path, size: readFileSync(path).length }))
        .filter(({ size }) => size < 60_000)
        .sort((a, b) => b.size - a.size)[0]?.path ?? "",
    );
    const path = writeSession([]);

    it("gives the same entries when it is cut at any byte and read again complete", () => {
      writeFileSync(path, whole);
      const expected = readPath(path);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: whole.length }), (cut) => {
          const { certain, rest } = fixtures.readInTwo(path, whole, cut);
          expect(certain.every((entry) => !entry.tentative)).toBe(true);
          expect([...certain, ...rest]).toEqual(expected);
        }),
        { numRuns: 100 },
      );
    });

    it("gives one entry per line when a value in a record is replaced", () => {
      const lines = whole.toString("utf8").trimEnd().split("\n");
      const damaged = join(scratch(), basename(path));
      fc.assert(
        fc.property(fc.nat(lines.length - 1), fc.jsonValue(), fc.nat(200), (at, value, place) => {
          const record = JSON.parse(lines[at] ?? "{}") as Record<string, unknown>;
          const keys = Object.keys(record);
          const key = keys[place % Math.max(keys.length, 1)] ?? "type";
          const inner = record[key];
          if (typeof inner === "object" && inner !== null && place % 2 === 0) {
            const [first = "x"] = Object.keys(inner);
            (inner as Record<string, unknown>)[first] = value;
          } else record[key] = value;
          writeSession(lines.with(at, JSON.stringify(record)), damaged);
          expect(readPath(damaged)).toHaveLength(lines.length);
        }),
        { numRuns: 200 },
      );
    });
  });
});
