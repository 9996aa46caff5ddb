import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { DiagnosticCode, Source } from "../contract.ts";
import { opencode } from "../opencode/source.ts";
import { kilo } from "./source.ts";

const FIXTURES = fileURLToPath(new URL("../../../test/fixtures/", import.meta.url));
const KILO = `${FIXTURES}corpus-3/kilo-7.7.9/kilo.db`;
const OPENCODE = `${FIXTURES}corpus/opencode-1.18.33/opencode.db`;

function found(source: Source, root: string): { sources: string[]; codes: DiagnosticCode[] } {
  const codes: DiagnosticCode[] = [];
  const report = ({ code }: { code: DiagnosticCode }): unknown => codes.push(code);
  const refs = [...source.discover({ env: {}, home: "/nowhere", roots: [root], report })];
  return { sources: [...new Set(refs.map((ref) => ref.source))], codes };
}

describe("a database of the family", () => {
  it("is read by the agent that wrote it, and refused by the other", () => {
    expect(found(kilo, KILO)).toEqual({ sources: ["kilo"], codes: [] });
    expect(found(opencode, KILO)).toEqual({ sources: [], codes: ["database_refused"] });
    expect(found(opencode, OPENCODE)).toEqual({ sources: ["opencode"], codes: [] });
    expect(found(kilo, OPENCODE)).toEqual({ sources: [], codes: ["database_refused"] });
  });

  it("names the agent in every record that names a session", () => {
    const refs = [...kilo.discover({ env: {}, home: "/nowhere", roots: [KILO], report: () => undefined })];
    const bodies = refs.flatMap((ref) =>
      [...kilo.read(ref, null, { detail: "lean" })].flatMap(({ records }) => records),
    );
    const named = bodies.flatMap((body) => {
      if (body.type === "child_linked") return [body.child.source];
      return body.type === "session_meta" ? [body.source, body.parent?.source ?? body.source] : [];
    });
    expect(new Set(named)).toEqual(new Set(["kilo"]));
    expect(bodies.filter(({ type }) => type === "child_linked")).not.toEqual([]);
    expect(bodies.flatMap((body) => (body.type === "user" && body.kind ? [body.text] : []))).toContain(
      'Third question\nover two lines, with "quotes" and ünïcödé ✓ [lab:think]',
    );
  });
});
