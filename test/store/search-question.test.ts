import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import type { Io } from "../../src/doors/cli/io.ts";
import type { SearchAnswer } from "../../src/answers/json.ts";
import type { RecallAnswer } from "../../src/answers/daybook.ts";
import { scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month", import.meta.url));
const home = scratch("search-question");
const PLACES = ["--root", `claude-code=${join(MONTH, "claude")}`, "--root", `codex=${join(MONTH, "codex")}`];
/** No text has these words; a turn about a state lock of terraform answers. */
const QUESTION = "Who kept everybody else out of our infrastructure?";
const SESSION = "01a07fcc";

async function run(words: readonly string[], config = ""): Promise<{ out: string; err: string; code: number }> {
  const path = join(home, "config.toml");
  writeFileSync(path, config);
  const ran = { out: "", err: "", code: 0 };
  const io: Io = {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env: { HOME: home, DAYBOOK_CONFIG: path, PATH: process.env["PATH"] },
    now: Date.UTC(2026, 8, 20),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  };
  ran.code = await main([...words, ...PLACES, "--home", join(home, "book"), "--timezone", "Europe/Berlin"], io);
  return ran;
}

async function searched(...words: string[]): Promise<SearchAnswer> {
  return JSON.parse((await run(["search", "--json", ...words])).out) as SearchAnswer;
}

beforeAll(() => mkdirSync(join(home, "book"), { recursive: true }));

describe("search", () => {
  it("gives texts with all words first, then turns that answer in other words, each once and told apart", async () => {
    const { results, answered } = await searched("terraform lock");
    const kinds = results.map(({ matched }) => matched);
    expect(kinds).toEqual(kinds.toSorted().toReversed());
    expect(new Set(kinds)).toEqual(new Set(["words", "meaning"]));
    expect(answered).toBe(true);
    const turns = (kind: string): string[] =>
      results.flatMap((one) => (one.matched === kind ? [`${one.session_id}/${one.turn_ref}`] : []));
    for (const turn of turns("meaning")) expect(turns("words")).not.toContain(turn);
    expect(turns("meaning").length).toBeLessThanOrEqual(5);
    const text = (await run(["search", "terraform lock"])).out;
    expect(text).toContain("\nIn other words:\n");
  });

  it("stays within its limit, and finds exactly what is quoted, begun or of one kind", async () => {
    expect((await searched("terraform lock", "--limit", "3")).results).toHaveLength(3);
    for (const words of [['"terraform lock zzz"'], ["terraf* zzz"], ["terraform zzz", "--kind", "prompt"]])
      expect((await searched(...words)).results).toEqual([]);
  });

  it("adds nothing where a name occurs nowhere, or no word says anything", async () => {
    expect((await searched("Kafka consumer lag")).results).toEqual([]);
    expect((await searched("what did we do")).results.every(({ matched }) => matched === "words")).toBe(true);
  });

  it("answers a question whose words are in no text", async () => {
    const { results } = await searched("Customers were billed a second time");
    expect(results.every(({ matched }) => matched === "meaning")).toBe(true);
    expect(results.map(({ session_id }) => session_id.slice(0, 8))).toContain("513a27d0");
    expect((await run(["search", "Customers were billed a second time"])).out).toMatch(
      /^No text has all these words\. In other words:\n/,
    );
  });
});

describe("other wordings by the user's own agent", () => {
  const asked = join(home, "asked.txt");
  /** A program that keeps its prompt, and answers as a model would, with talk around it. */
  const agent = join(home, "agent.mjs");
  const configFor = (reply: string): string => {
    writeFileSync(
      agent,
      `import { appendFileSync, readFileSync } from "node:fs";
appendFileSync(${JSON.stringify(asked)}, readFileSync(0, "utf8") + "\\n====\\n");
process.stdout.write(${JSON.stringify(reply)});`,
    );
    return `[narrate]\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(agent)}]\n`;
  };
  const GOOD = 'Sure:\n{"also": ["Who held the terraform state lock?", "", 7], "words": ["terraform", "lock"]}\nDone.';
  const times = (): number => readFileSync(asked, "utf8").split("====").length - 1;
  const recalled = async (words: readonly string[], config: string): Promise<RecallAnswer & { err: string }> => {
    const { out, err } = await run(["recall", "--json", QUESTION, ...words], config);
    return { ...(JSON.parse(out) as RecallAnswer), err };
  };
  const finds = ({ results }: RecallAnswer): boolean =>
    results.slice(0, 3).some(({ session_id }) => session_id.startsWith(SESSION));

  it("are asked for once per question, only where that is wanted, and the reply says which one found what", async () => {
    writeFileSync(asked, "");
    const config = configFor(GOOD);
    expect(finds(await recalled([], config))).toBe(false);
    expect(times()).toBe(0);
    const answer = await recalled(["--expand"], config);
    expect(finds(answer)).toBe(true);
    expect(answer.results.flatMap(({ found_by }) => found_by)).toContain("Who held the terraform state lock?");
    expect(readFileSync(asked, "utf8")).toContain(QUESTION);
    expect(finds(await recalled([], `${config}[recall]\nexpand = true\n`))).toBe(true);
    expect(times()).toBe(1);
    expect(finds(await recalled(["--no-expand"], `${config}[recall]\nexpand = true\n`))).toBe(false);
  });

  it("are left out where the agent gives none, and the question is answered without them", async () => {
    const refused = await run(["recall", QUESTION, "--expand"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("--expand needs an agent");
    for (const reply of ["I cannot help with that.", '{"also": [], "words": "lock"}']) {
      const words = ["recall", "--json", `${QUESTION} ${reply.length}`, "--expand"];
      const { out, err, code } = await run(words, configFor(reply));
      expect(code).toBe(0);
      expect(err).toContain("holds no wordings");
      expect((JSON.parse(out) as RecallAnswer).results).not.toEqual([]);
    }
  });

  it("can be given by hand", async () => {
    expect(finds(await recalled(["--also", "Who held the terraform state lock?"], ""))).toBe(true);
    expect(finds(await recalled(["--words", "terraform, lock state"], ""))).toBe(true);
  });
});
