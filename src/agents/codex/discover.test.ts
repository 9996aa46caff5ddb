import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../contract.ts";
import { codex } from "./source.ts";
import { sessionIdFromPath } from "./native.ts";

const home = mkdtempSync(join(tmpdir(), "codex-home-"));
const day = join(home, "sessions", "2026", "05", "12");
const uuid = "019add38-07f3-7e93-ae71-3e0095eb0315";
const header = `${JSON.stringify({ timestamp: "2026-05-12T08:00:00.000Z", type: "session_meta", payload: { id: uuid } })}\n`;

/** A zstd frame of one raw block: enough to prove that the container is opened. */
function zstd(text: string): Buffer {
  const data = Buffer.from(text);
  const size = (data.length << 3) | 1;
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, data.length, size & 0xff, (size >> 8) & 0xff, size >> 16];
  return Buffer.concat([Buffer.from(head), data]);
}

mkdirSync(day, { recursive: true });
mkdirSync(join(home, "archived_sessions"));
writeFileSync(join(day, `rollout-2026-05-12T08-00-00-${uuid}.jsonl`), header);
writeFileSync(join(day, `rollout-2026-05-12T08-00-00-${uuid}.jsonl.zst`), zstd(header));
writeFileSync(join(home, "archived_sessions", "rollout-b.jsonl.zst"), zstd(header));
writeFileSync(join(home, "history.jsonl"), `{"session_id":"a","ts":1794727133,"text":"hi"}\nbroken\n`);
writeFileSync(
  join(home, "session_index.jsonl"),
  `{"id":"a","thread_name":"old"}\n{"id":"a","thread_name":""}\n{"id":"b","thread_name":"B"}\n`,
);
symlinkSync(home, join(day, "loop"));

function find(
  roots: readonly string[] | null,
  env: Record<string, string> = {},
  within: string = home,
): { names: string[]; codes: string[] } {
  const reports: Diagnostic[] = [];
  const refs = [...codex.discover({ env, home: "/nowhere", roots, report: (d) => reports.push(d) })];
  return { names: refs.map((ref) => ref.path.slice(within.length + 1)), codes: reports.map((d) => d.code) };
}

describe("discovery", () => {
  const rollout = `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${uuid}.jsonl`;

  it("finds live and archived rollouts and prefers the uncompressed copy", () => {
    const found = { names: ["archived_sessions/rollout-b.jsonl.zst", rollout], codes: ["file_duplicate"] };
    expect(find(null, { CODEX_HOME: home })).toEqual(found);
    expect(find([home])).toEqual(found);
    expect(find(null)).toEqual({ names: [], codes: ["root_missing"] });
    expect(find(null, { CODEX_HOME: " " })).toEqual({ names: [], codes: [] });
    expect(find([join(home, "gone")])).toEqual({ names: [], codes: ["root_missing"] });
  });

  it("accepts a file named as root, and judges other file names by their content", () => {
    // Elsewhere, because the other tests look for everything in the home.
    const place = realpathSync(mkdtempSync(join(tmpdir(), "codex-mixed-")));
    const mixed = join(place, "mixed");
    mkdirSync(mixed);
    writeFileSync(join(mixed, "renamed.jsonl"), header);
    writeFileSync(join(mixed, "other.jsonl"), `{"type":"user","message":{"role":"user"}}\n`);
    writeFileSync(join(mixed, "old.json"), `{"session":{"id":"x"},"items":[]}`);
    writeFileSync(join(mixed, "package.json"), `{"name":"x"}`);
    expect(find([mixed], {}, place)).toEqual({
      names: ["mixed/old.json", "mixed/renamed.jsonl"],
      codes: ["file_foreign", "file_foreign"],
    });
    expect(find([join(mixed, "other.jsonl")], {}, place).names).toEqual(["mixed/other.jsonl"]);
  });

  it("reads a compressed rollout", () => {
    const [ref] = [
      ...codex.discover({
        env: {},
        home: "",
        roots: [join(home, "archived_sessions", "rollout-b.jsonl.zst")],
        report: () => {},
      }),
    ];
    expect(ref && [...codex.read(ref, null, { detail: "full" })].map((entry) => entry.identity)).toEqual([uuid]);
  });

  it("derives session ids from file names", () => {
    expect(sessionIdFromPath(`/x/rollout-2026-05-12T08-00-00-${uuid}.jsonl.zst`)).toBe(uuid);
    expect(sessionIdFromPath(`/x/rollout-2026-05-12T08-00-00-${uuid}_01a1de12-3c9d-7ea3-bad1-16a7b3d8b07e.jsonl`)).toBe(
      uuid,
    );
    expect(sessionIdFromPath("/x/plain.jsonl")).toBe("plain");
  });

  it("reads titles and typed prompts from the files beside the sessions", () => {
    const facts = codex.facts?.({ env: {}, home: "", roots: [home], report: () => {} });
    expect([...(facts?.titles() ?? [])]).toEqual([
      ["a", null],
      ["b", "B"],
    ]);
    expect(facts?.prompts()).toMatchObject([{ line: 1, sessionId: "a", time: 1794727133000, text: "hi" }]);
  });
});
