import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SAMPLES } from "../../places.ts";
import { Daybook, inside } from "../daybook.ts";
import type { IndexRow } from "./index-row.ts";
import type { Manifest } from "./manifest.ts";
import { prepareWorkspace } from "./prepare.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "daybook-copy-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const NOW = Date.parse("2026-05-14T12:00:00Z");

interface PreparedProject {
  folder: string;
  rows: IndexRow[];
  notes: Manifest;
  book: Daybook;
}

async function prepare(roots: Record<string, string[]>, date = "2026-05-12"): Promise<PreparedProject> {
  const book = new Daybook({ roots, timezone: "UTC", env: {}, home: "/nowhere", now: NOW });
  const { workspace, manifest } = await prepareWorkspace(inside(book), { date, now: NOW, home: join(dir, "home") });
  const notes = JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
  const [key = ""] = new Set(notes.sessions.map((session) => session.workspace_project_key));
  const folder = join(workspace, "projects", key);
  const text = readFileSync(join(folder, "sessions.index.jsonl"), "utf8").trimEnd();
  return { folder, rows: text.split("\n").map((line) => JSON.parse(line) as IndexRow), notes, book };
}

/** One zstd frame with one stored block: what a compressor writes for bytes it cannot shrink. */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(bytes.length, 5);
  head.writeUIntLE((bytes.length << 3) | 1, 9, 3);
  return Buffer.concat([head, bytes]);
}

function chat(time: string, ask: string): string {
  return `\n# aider chat started at ${time}\n\n> Aider v0.86.0  \n\n#### ${ask}  \n\nDone as you asked.\n`;
}

function sample(name: string): string[] {
  return [fileURLToPath(new URL(name, SAMPLES))];
}

describe("copied sessions", () => {
  const codex = [
    { type: "session_meta", payload: { id: "s", cwd: "/nowhere/app", source: "cli" } },
    {
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
    },
  ];
  const lines = codex.map((line) => `${JSON.stringify({ timestamp: "2026-05-12T08:00:00.000Z", ...line })}\n`).join("");

  it("of a compressed file are uncompressed, so that line numbers can be looked up", async () => {
    const root = join(dir, "codex/sessions/2026/05/12");
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "rollout-s.jsonl.zst"), stored(Buffer.from(lines)));
    const { folder, rows, notes } = await prepare({ codex: [join(dir, "codex")] });
    expect(rows[0]?.session_path).toBe("sessions/codex/rollout-s.jsonl");
    expect(readFileSync(join(folder, "sessions/codex/rollout-s.jsonl"), "utf8")).toBe(lines);
    const [session] = notes.sessions;
    expect(session?.source_checksum_sha256).not.toBe(session?.workspace_checksum_sha256);
    expect(session?.total_lines).toBe(2);
  });

  it("count a last line without a newline as a line", async () => {
    mkdirSync(join(dir, "codex"));
    writeFileSync(join(dir, "codex/rollout-s.jsonl"), lines.trimEnd());
    const { notes } = await prepare({ codex: [join(dir, "codex")] });
    expect(notes.sessions[0]?.total_lines).toBe(2);
  });

  it("keep the directory with the session id if all session files have the same name", async () => {
    for (const id of ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]) {
      mkdirSync(join(dir, "copilot/session-state", id), { recursive: true });
      const start = { type: "session.start", data: { sessionId: id, context: { cwd: "/nowhere/app" } } };
      const user = { type: "user.message", data: { content: "go" } };
      const text = [start, user].map((e, i) => ({
        ...e,
        id: `${id}-${i}`,
        timestamp: "2026-05-12T08:00:00.000Z",
        parentId: null,
      }));
      writeFileSync(
        join(dir, "copilot/session-state", id, "events.jsonl"),
        text.map((e) => `${JSON.stringify(e)}\n`).join(""),
      );
    }
    const { rows } = await prepare({ copilot: [join(dir, "copilot")] });
    expect(rows.map((row) => row.session_path)).toEqual([
      "sessions/copilot/11111111-1111-4111-8111-111111111111/events.jsonl",
      "sessions/copilot/22222222-2222-4222-8222-222222222222/events.jsonl",
    ]);
  });

  it("of a file with several sessions are one log each, and turns have the line numbers of the log", async () => {
    mkdirSync(join(dir, "repo"));
    const history = join(dir, "repo/.aider.chat.history.md");
    writeFileSync(history, chat("2026-05-12 08:00:00", "say hello") + chat("2026-05-12 09:00:00", "say goodbye"));
    const { folder, rows, notes } = await prepare({ aider: [history] });
    expect(rows).toHaveLength(2);
    for (const [i, row] of rows.entries()) {
      expect(row.session_format).toBe("daybook-log");
      const log = readFileSync(join(folder, row.session_path), "utf8").trimEnd().split("\n");
      expect(log).toHaveLength(notes.sessions[i]?.total_lines ?? 0);
      expect(log.join("\n")).toContain(i === 0 ? "say hello" : "say goodbye");
      expect(log.join("\n")).not.toContain(i === 0 ? "say goodbye" : "say hello");
      const trigger = JSON.parse(log[(row.turns[0]?.turn_start_line ?? 0) - 1] ?? "") as { type: string };
      expect(trigger.type).toBe("user");
    }
  });

  it("equal their originals for the samples, and the index has every turn with its lines", async () => {
    const roots = { codex: sample("codex"), "claude-code": sample("claude-code") };
    const book = new Daybook({ roots, timezone: "UTC", env: {}, home: "/nowhere", now: NOW });
    for (const date of ["2026-05-11", "2026-05-12"]) {
      const home = join(dir, date);
      const { manifest, workspace, turns } = await prepareWorkspace(inside(book), { date, now: NOW, home });
      const expected = await book.turns({ since: date, until: date });
      expect(expected).not.toEqual([]);
      expect(turns).toBe(expected.length);
      const notes = JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
      const found = notes.sessions.flatMap((session) => {
        const folder = join(workspace, "projects", session.workspace_project_key);
        const copy = readFileSync(join(folder, session.workspace_session_path));
        expect(copy.equals(readFileSync(session.source_path))).toBe(true);
        const index = readFileSync(join(folder, "sessions.index.jsonl"), "utf8").trimEnd().split("\n");
        const rows = index.map((line) => JSON.parse(line) as IndexRow);
        const row = rows.find((one) => one.session_path === session.workspace_session_path);
        return (row?.turns ?? []).map((turn) => `${session.source_path}:${turn.turn_start_line}-${turn.turn_end_line}`);
      });
      const wanted = expected.map((turn) => `${turn.session_path}:${turn.start_line}-${turn.end_line}`);
      expect(found.toSorted()).toEqual(wanted.toSorted());
    }
  });
});
