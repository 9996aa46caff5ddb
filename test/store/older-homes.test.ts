import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { answers, copyCorpus, differences, open, scratch } from "./fixture.ts";

const HOMES = fileURLToPath(new URL("../fixtures/homes/", import.meta.url));
const NAMES = readdirSync(HOMES).filter((name) => name.endsWith(".json.br"));
const LABELS = ["pi-0.87.1", "codex-0.130.0-tui"];
/** Where the session files were when the homes were written. */
const ORIGINAL_ROOTS = { pi: ["/srv/agents/pi"], codex: ["/srv/agents/codex"] };

/**
 * A home as that version left it. `dir`: where the session files are now. Pages of the first format have no checksums, so
 * the new paths are written into them; for later formats the files count as moved.
 */
function unpack(name: string, dir?: string): string {
  const home = scratch("older");
  const files = JSON.parse(brotliDecompressSync(readFileSync(join(HOMES, name))).toString("utf8")) as object;
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    const text = Buffer.from(String(bytes), "base64");
    const isFirst = path.endsWith(".ledger.jsonl") && !text.includes('"format":');
    writeFileSync(join(home, path), isFirst && dir !== undefined ? withPaths(text, dir) : text);
  }
  return home;
}

function withPaths(ledger: Buffer, dir: string): string {
  const [pi = "", codex = ""] = LABELS.map((label) => join(dir, label));
  return ledger.toString("utf8").replaceAll("/srv/agents/pi", pi).replaceAll("/srv/agents/codex", codex);
}

describe("a home written by an earlier version", () => {
  it("is among the fixtures for five earlier versions", () => {
    expect(NAMES).toEqual(
      ["pages-2", "readers-2", "readers-5", "tables-23", "tables-8"].map((name) => `${name}.json.br`),
    );
  });

  it.each(NAMES)("gives the same answers as a new home if the session files still exist: %s", async (name) => {
    const { dir, roots } = copyCorpus(LABELS);
    const fresh = await answers(open(roots, scratch("fresh")), 2);
    const notes: string[] = [];
    const older = await answers(open(roots, unpack(name, dir), { onNote: (text) => notes.push(text) }), 2);
    expect(differences(fresh, older)).toEqual([]);
    // An index of another version is not reported as damaged.
    expect(notes).toEqual([]);
  });

  it.each(NAMES)("has every session and prompt if the session files are gone: %s", async (name) => {
    const { dir, roots } = copyCorpus(LABELS);
    const fresh = open(roots, scratch("fresh"));
    const sessions = (await fresh.sessions()).map(({ session_id }) => session_id).toSorted();
    const prompts = (await fresh.turns()).map(({ trigger }) => trigger.text ?? "").toSorted();
    fresh.close();
    rmSync(dir, { recursive: true });
    const home = unpack(name);
    for (const noSync of [false, true]) {
      const older = open(ORIGINAL_ROOTS, home, { noSync });
      expect((await older.sessions()).map(({ session_id }) => session_id).toSorted()).toEqual(sessions);
      expect((await older.turns()).map(({ trigger }) => trigger.text ?? "").toSorted()).toEqual(prompts);
      expect((await older.audit()).problems).toEqual([]);
      expect((await older.sync({ verify: true })).damaged).toEqual([]);
      older.close();
    }
  });
});
