import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";
import { scratch } from "./store/fixture.ts";

/** The answers of ccusage itself, recorded by scripts/record-ccusage.js. */
interface Recorded {
  version: string;
  answers: { line: string; status: number; answer?: unknown }[];
}

const FIXTURES = fileURLToPath(new URL("./fixtures/", import.meta.url));
const recorded = JSON.parse(
  brotliDecompressSync(readFileSync(join(FIXTURES, "ccusage/recorded.json.br"))).toString(),
) as Recorded;

const questions = JSON.parse(readFileSync(join(FIXTURES, "ccusage/questions.json"), "utf8")) as {
  invocations: string[];
  without_codex: string;
};

let env: Record<string, string>;
beforeAll(() => {
  const folder = scratch();
  const home = join(folder, "home");
  cpSync(join(FIXTURES, "month"), home, { recursive: true });
  // ccusage leaves out the first response of this sub-agent; it counts everything else like Daybook.
  rmSync(join(home, "codex", questions.without_codex));
  env = {
    HOME: join(folder, "nobody"),
    DAYBOOK_HOME: join(folder, "book"),
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    CODEX_HOME: join(home, "codex"),
  };
});

async function run(line: string): Promise<{ code: number; out: string; err: string }> {
  const ran = { out: "", err: "" };
  const io: Io = {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env,
    now: Date.UTC(2026, 10, 16),
    columns: 120,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: true,
    // Supports `.name` only, the one filter used here.
    jq: (filter, json) => JSON.stringify((JSON.parse(json) as Record<string, unknown>)[filter.slice(1)]),
  };
  const code = await main([...line.split(" "), "--offline", "-z", "UTC"], io, "ccusage");
  return { code, ...ran };
}

type Json = Record<string, unknown>;

/** Fields that identify a row of a list; the first that all rows have is used. */
const NAMES = ["period", "date", "week", "month", "sessionId", "id", "modelName", "agent", "timestamp"];
/** Fields that depend on which models a price table knows: the two tables differ. */
const OF_PRICES = new Set(["missingPricing", "unpricedModels"]);
const COSTS = new Set(["cost", "totalCost", "costUSD"]);

/** Every difference between ccusage's answer and ours, with its path. */
function differences(theirs: unknown, ours: unknown, at: string, isPriced = true): string[] {
  if (Array.isArray(theirs) && Array.isArray(ours)) return listDifferences(theirs, ours, at, isPriced);
  if (isObject(theirs) && isObject(ours)) return fieldDifferences(theirs, ours, at, isPriced);
  if (typeof theirs === "number" && typeof ours === "number" && COSTS.has(at.split(".").at(-1) ?? ""))
    return isPriced && Math.abs(theirs - ours) > 0.000_001 * (1 + theirs) ? [`${at}: ${theirs}, ours ${ours}`] : [];
  return Object.is(theirs, ours) || theirs === ours
    ? []
    : [`${at}: ${JSON.stringify(theirs)}, ours ${JSON.stringify(ours)}`];
}

function listDifferences(theirs: unknown[], ours: unknown[], at: string, isPriced: boolean): string[] {
  if (theirs.length !== ours.length) return [`${at}: ${theirs.length} of them, ours ${ours.length}`];
  // ccusage orders model names by cost.
  if (theirs.every((one) => typeof one === "string"))
    return differences(theirs.map(String).toSorted().join(), ours.map(String).toSorted().join(), at);
  const name =
    NAMES.find((one) => theirs.every((row) => isObject(row) && one in row && typeof row[one] === "string")) ?? "";
  const isSorted = !["sessionId", "modelName"].includes(name) && !at.endsWith("session");
  return theirs.flatMap((row, i) => {
    const own = isSorted ? ours[i] : ours.find((one) => isObject(one) && isObject(row) && one[name] === row[name]);
    return differences(row, own, `${at}[${isObject(row) ? String(row[name]) : i}]`, isPriced);
  });
}

function fieldDifferences(theirs: Json, ours: Json, at: string, isPriced: boolean): string[] {
  const keys = (value: Json): string =>
    Object.keys(value)
      .filter((key) => !OF_PRICES.has(key))
      .toSorted()
      .join(" ");
  if (keys(theirs) !== keys(ours)) return [`${at}: ${keys(theirs)}, ours ${keys(ours)}`];
  // Costs are not compared where ccusage lacks a price, nor in a session's entries, which have no cost in ccusage.
  const isKnown = isPriced && !lacksPrice(theirs) && !at.includes(".entries");
  return Object.keys(theirs)
    .filter((key) => !OF_PRICES.has(key))
    .flatMap((key) => differences(theirs[key], ours[key], `${at}.${key}`, isKnown));
}

/** Whether the row includes the one model of the fixtures that ccusage has no price for. */
function lacksPrice(row: Json): boolean {
  return (
    row["missingPricing"] === true ||
    JSON.stringify([row["modelsUsed"], row["models"], row["unpricedModels"], row["entries"]]).includes(
      "claude-opus-5-5",
    )
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

it("the recording of ccusage covers every invocation in questions.json", () => {
  expect(recorded.answers.map(({ line }) => line)).toEqual(questions.invocations);
  expect(questions.invocations.length).toBeGreaterThanOrEqual(40);
});

describe(`daybook called as ccusage answers like ccusage ${recorded.version}`, () => {
  it.each(recorded.answers.map((one) => [one.line, one] as const))("%s", async (line, { status, answer }) => {
    const { code, out, err } = await run(line);
    expect(code, err).toBe(status);
    if (status !== 0) return;
    if (answer === undefined) expect(out).toMatch(/^[^\u001b]+$/);
    else expect(differences(answer, JSON.parse(out), "")).toEqual([]);
  });
});

it.each(["daily --active", "session --token-limit 5", "weekly --live", "daily --id x"])(
  "called as ccusage, a flag that has no effect with the command is refused: %s",
  async (line) => {
    const { code, err } = await run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(/works only with (?:blocks|session), not with/)]);
  },
);

it.each([
  ["a path for OpenClaw", "daily --open-claw-path /x", "--open-claw-path: OpenClaw's sessions are not read by Daybook"],
  ["the fast tier", "codex daily --speed fast", "--speed fast: the prices of the fast tier are not in the table"],
  [
    "a project alias without a new name",
    "claude daily -i --project-aliases shop",
    "--project-aliases takes NAME=OTHER, not shop",
  ],
])("called as ccusage, an unsupported flag or value is refused with the reason: %s", async (_, line, why) => {
  const { code, err } = await run(line);
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
});

it("--project-aliases renames projects in tables and not in JSON", async () => {
  const flags = "claude daily -i --since 2026-09-15 --until 2026-09-15 --project-aliases shop-api=Storefront,x=y";
  const { out } = await run(flags);
  expect(out).toContain("Storefront");
  expect(out).not.toContain("shop-api");
  expect((await run(`${flags} --json`)).out).not.toContain("Storefront");
});

it("--pi-path names the roots of pi's sessions", async () => {
  const { code, err } = await run("pi daily --pi-path /nowhere/a,/nowhere/b");
  expect([code, err]).toEqual([2, expect.stringContaining("/nowhere/a")]);
});
