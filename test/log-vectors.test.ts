import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readLog } from "../src/record/reader.ts";
import { replay } from "../src/turns/live/replay.ts";

const VECTORS = fileURLToPath(new URL("../docs/log-vectors", import.meta.url));
const PYTHON_READER = fileURLToPath(new URL("../examples/python/daybook_log.py", import.meta.url));
const hasPython = spawnSync("python3", ["--version"]).status === 0;

const names = readdirSync(VECTORS).flatMap((name) =>
  name.endsWith(".jsonl") ? [name.slice(0, -".jsonl".length)] : [],
);

function expected(name: string): unknown {
  return JSON.parse(readFileSync(join(VECTORS, `${name}.expected.json`), "utf8"));
}

/** What the vectors speak of, out of all that a replay knows. */
function replayed(path: string): unknown {
  const { turns, tools, usage } = replay(readLog(path));
  return {
    turns: turns.map((turn) => ({
      turn_id: turn.turn_id,
      taken_back: turn.taken_back,
      final_text: turn.final_text,
      outcome: turn.outcome,
      outcome_stated: turn.outcome_stated,
      usage: turn.usage,
    })),
    calls: tools.map(({ call_id, turn_id, status, settled }) => ({ call_id, turn_id, status, settled })),
    usage: usage.totals,
  };
}

describe("the vectors of the log format", () => {
  it("are there", () => expect(names.length).toBeGreaterThan(10));

  it.each(names)("%s: replay agrees", (name) => {
    expect(replayed(join(VECTORS, `${name}.jsonl`))).toEqual(expected(name));
  });

  it.skipIf(!hasPython).each(names)("%s: the reader in Python agrees", (name) => {
    const { stdout, stderr } = spawnSync("python3", [PYTHON_READER, join(VECTORS, `${name}.jsonl`)], {
      encoding: "utf8",
      env: { ...process.env, PYTHONIOENCODING: "utf-8" },
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(expected(name));
  });
});
