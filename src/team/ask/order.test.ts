import type { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { Zone } from "../../base/time/zone.ts";
import { failuresBy } from "./failures.ts";
import { usageBy } from "./usage.ts";
import type { View } from "./view.ts";

const TEAM = "11111111-2222-4333-8444-555555555555";
const LED: View = { kind: "led", team: TEAM, acting: { role: "daybook_lead", owner: null } };
const DAYS = { since: "2026-05-11", until: "2026-05-17" };

/** A database that answers questions about a team's usage with these rows. */
function poolOf(rows: readonly object[]): Pool {
  const query = async (sql: string): Promise<{ rows: readonly object[] }> => ({
    rows: sql.includes("team_usage") ? rows : [],
  });
  const client = { query, release: () => undefined };
  return { connect: async () => client } as unknown as Pool;
}

const group = (name: string | null, dollars: number): object => ({
  name,
  hidden: name === null ? 2 : 0,
  pico: String(dollars * 1e12),
  calls: String(dollars),
  people: "3",
});
const ROWS = [group("cheap", 1), group(null, 99), group("dear", 5), group("also dear", 5)];

describe("groups of too few people, shown as one", () => {
  it.each(["project", "model", "source"] as const)("come last by %s, whatever they cost", async (by) => {
    const { groups } = await usageBy(poolOf(ROWS), LED, by, DAYS);
    expect(groups.map(({ name }) => name)).toEqual(["also dear", "dear", "cheap", null]);
  });

  it("come last among days", async () => {
    const rows = [group("2026-05-12", 1), group(null, 99), group("2026-05-11", 5)];
    const { groups } = await usageBy(poolOf(rows), LED, "day", DAYS);
    expect(groups.map(({ name }) => name)).toEqual(["2026-05-11", "2026-05-12", null]);
  });

  it("come last among tools, however often they failed", async () => {
    const { failures } = await failuresBy(poolOf(ROWS), LED, DAYS, new Zone("UTC"));
    expect(failures.map(({ tool }) => tool)).toEqual(["also dear", "dear", "cheap", null]);
  });
});
