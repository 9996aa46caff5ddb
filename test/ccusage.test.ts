import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { Io } from "../src/cli/io.ts";
import { main } from "../src/cli/main.ts";
import { scratch } from "./store/fixture.ts";

/** What the real program answered, recorded by scripts/record-ccusage.js. */
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
  // A sub-agent whose first response it leaves out: all else is counted alike.
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
    // The one filter that is used here.
    jq: (filter, json) => JSON.stringify((JSON.parse(json) as Record<string, unknown>)[filter.slice(1)]),
  };
  const code = await main([...line.split(" "), "--offline", "-z", "UTC"], io, "ccusage");
  return { code, ...ran };
}

type Json = Record<string, unknown>;

/** What tells rows of a list apart. */
const NAMES = ["period", "date", "week", "month", "sessionId", "id", "modelName", "agent", "timestamp"];
/** Both price tables know most models; where one knows more it says more. */
const OF_PRICES = new Set(["missingPricing", "unpricedModels"]);
const COSTS = new Set(["cost", "totalCost", "costUSD"]);

/** Every difference between the two answers, by its place; empty where they say the same. */
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
  // Models are named in the order of their cost there.
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
  // A sum that lacks the price of a model there is larger here; and entries of a session have no cost there at all.
  const isKnown = isPriced && !lacks(theirs) && !at.includes(".entries");
  return Object.keys(theirs)
    .filter((key) => !OF_PRICES.has(key))
    .flatMap((key) => differences(theirs[key], ours[key], `${at}.${key}`, isKnown));
}

/** The one model of the month that it has no price for. */
function lacks(row: Json): boolean {
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

it("was asked all that is compared", () => {
  expect(recorded.answers.map(({ line }) => line)).toEqual(questions.invocations);
  expect(questions.invocations.length).toBeGreaterThanOrEqual(40);
});

describe(`called as ccusage, which was recorded as ${recorded.version}`, () => {
  it.each(recorded.answers.map((one) => [one.line, one] as const))("%s", async (line, { status, answer }) => {
    const { code, out, err } = await run(line);
    expect(code, err).toBe(status);
    if (status !== 0) return;
    if (answer === undefined) expect(out).toMatch(/^[^\u001b]+$/);
    else expect(differences(answer, JSON.parse(out), "")).toEqual([]);
  });
});

it.each(["daily --active", "session --token-limit 5", "weekly --live", "daily --id x"])(
  "a flag that would do nothing is refused: %s",
  async (line) => {
    const { code, err } = await run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(/works only with (?:blocks|session), not with/)]);
  },
);

it.each([
  ["openclaw's place", "daily --open-claw-path /x", "--open-claw-path: OpenClaw's sessions are not read by Daybook"],
  ["the fast tier", "codex daily --speed fast", "--speed fast: the prices of the fast tier are not in the table"],
  ["a name without another", "claude daily -i --project-aliases shop", "--project-aliases takes NAME=OTHER, not shop"],
])("what would be answered wrongly is refused, with why: %s", async (_, line, why) => {
  const { code, err } = await run(line);
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
});

it("projects have other names in tables, and only there", async () => {
  const flags = "claude daily -i --since 2026-09-15 --until 2026-09-15 --project-aliases shop-api=Storefront,x=y";
  const { out } = await run(flags);
  expect(out).toContain("Storefront");
  expect(out).not.toContain("shop-api");
  expect((await run(`${flags} --json`)).out).not.toContain("Storefront");
});

it("the place of one agent's sessions is taken as a root of it", async () => {
  const { code, err } = await run("pi daily --pi-path /nowhere/a,/nowhere/b");
  expect([code, err]).toEqual([2, expect.stringContaining("/nowhere/a")]);
});
