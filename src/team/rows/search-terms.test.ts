import { describe, expect, it } from "vitest";
import { termQuery, termVector } from "./search-terms.ts";

describe("search terms of the team store", () => {
  it.each([
    ["Fix the Fix", "'fix':1,3 'the':2"],
    ["naïve CAFÉ", "'naive':1 'cafe':2"],
    ["数据库", "'数据':1 '据库':2 '库':3"],
    ["it's a_b \\ 'x'", "'it':1 's':2 'a':3 'b':4 'x':5"],
    ["…", ""],
  ])("are indexed with their positions: %s", (text, vector) => {
    expect(termVector(text)).toBe(vector);
  });

  it("stay within the limits of a tsvector", () => {
    const repeated = termVector("word ".repeat(20_000));
    expect(repeated.split(",").length).toBe(255);
    const many = termVector(Array.from({ length: 20_000 }, (_, i) => `${"x".repeat(150)}${i}`).join(" "));
    expect(Buffer.byteLength(many)).toBeLessThan(1_048_575);
    expect(termVector("y".repeat(5000))).toBe("");
    expect(termVector(Array.from({ length: 9000 }, (_, i) => `w${i}`).join(" "))).not.toContain(":8001");
  });

  it.each([
    ["Pool exhausted", "'pool' & 'exhausted'"],
    ['"connection pool" err*', "('connection' <-> 'pool') & 'err':*"],
    ["数据库", "('数据' <-> '据库')"],
    ["连", "'连':*"],
    ["a.b", "('a' <-> 'b')"],
    ["' | !", ""],
  ])("are translated into a tsquery: %s", (text, query) => {
    expect(termQuery(text)).toBe(query);
  });
});
