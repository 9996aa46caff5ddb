import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { SessionView } from "../../views/session-view.ts";
import type { SourceRef } from "../../agents/contract.ts";
import { resumeOf, type ResumeView } from "./resume.ts";

const dir = mkdtempSync(join(tmpdir(), "daybook-resume-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const view = (more: Partial<SessionView>): SessionView =>
  ({
    source: "codex",
    session_id: "01-a",
    session_path: "/s/a.jsonl",
    cwd: dir,
    kind: "root",
    parent: null,
    ...more,
  }) as SessionView;

const ref = (more: Partial<SourceRef> = {}): SourceRef => ({
  source: "codex",
  path: "/s/a.jsonl",
  size: 1,
  mtimeMs: 1,
  container: "jsonl",
  ...more,
});

const resumed = (session: Partial<SessionView>, found: Partial<SourceRef> = {}): ResumeView =>
  resumeOf(view(session), [ref({ source: session.source ?? "codex", ...found })]);

describe("the command that resumes a session", () => {
  it("changes to the session's directory and quotes paths and ids for the shell", () => {
    const odd = join(dir, "it's here");
    mkdirSync(odd);
    expect(resumed({ cwd: odd }).command).toBe(`cd '${dir}/it'\\''s here' && codex resume 01-a`);
    expect(resumed({ source: "claude-code", session_id: "$(rm -rf ~)", cwd: null }).command).toBe(
      "claude --resume '$(rm -rf ~)'",
    );
  });

  it.each([
    ["aider", "aider --restore-chat-history"],
    ["claude-code", "claude --resume 01-a"],
    ["cline", "cline --id 01-a"],
    ["codex", "codex resume 01-a"],
    ["continue", "cn --fork 01-a"],
    ["copilot", "copilot --resume=01-a"],
    ["droid", "droid --resume 01-a"],
    ["gemini", "gemini --resume 01-a"],
    ["grok", "grok -r 01-a"],
    ["kimi", "kimi -r 01-a"],
    ["pi", "pi --session 01-a"],
    ["qwen", "qwen --resume 01-a"],
  ])("is the right one for %s", (source, command) => {
    expect(resumed({ source })).toMatchObject({ command: `cd ${dir} && ${command}`, dir, refused: null, why: null });
  });

  it("exists for a session in a database while the database still contains it", () => {
    const stored = { container: "sqlite", key: "20261114_1-101112" } as const;
    const goose = { source: "goose", session_id: stored.key };
    expect(resumed(goose, stored).argv).toEqual(["goose", "session", "--resume", "--session-id", "20261114_1"]);
    expect(resumed({ ...goose, session_id: "20261114_2" }, stored).refused).toBe("file_gone");
    const opencode = { source: "opencode", session_id: "ses_1" };
    const kilo = { source: "kilo", session_id: "ses_1" };
    const crush = { source: "crush", session_id: "c1" };
    expect(resumed(crush, { container: "sqlite", key: "c1" }).argv).toEqual(["crush", "--session", "c1"]);
    expect(resumed({ source: "gptme", session_id: "a-b" }).argv).toEqual(["gptme", "--name", "a-b"]);
    const openhands = { source: "openhands", session_id: "ab12" };
    expect(resumed(openhands, { container: "json" }).argv).toEqual(["openhands", "--resume", "ab12"]);
    expect(resumed({ source: "vibe", session_id: "ab12" }).argv).toEqual(["vibe", "--resume", "ab12"]);
    expect(resumed(kilo, { container: "sqlite", key: "ses_1" }).argv).toEqual(["kilo", "run", "-s", "ses_1"]);
    expect(resumed(opencode, { container: "sqlite", key: "ses_1" }).argv).toEqual(["opencode", "--session", "ses_1"]);
  });

  it.each([
    ["no_resume", {}, { source: "log" }],
    ["not_root", { kind: "subagent", parent: { source: "codex", session_id: "P" } }, {}],
    ["file_gone", { session_path: "/s/other.jsonl" }, {}],
    ["dir_gone", { cwd: join(dir, "gone") }, {}],
    ["dir_gone", { cwd: "C:\\work" }, {}],
    ["odd_id", { session_id: "--dangerously-bypass-approvals-and-sandbox" }, {}],
    ["unknown_to_agent", { source: "goose" }, {}],
    ["unknown_to_agent", { source: "opencode" }, { container: "json" }],
  ] as const)("is missing, with a reason: %s", (refused, session, found) => {
    const { command, argv, why, ...rest } = resumed(session, found);
    expect({ command, argv, refused: rest.refused }).toEqual({ command: null, argv: null, refused });
    expect(why).toMatch(/^[a-zA-Z`/].{20,}$/);
  });

  it("is missing for an archived session, with the command that unarchives it", () => {
    const path = "/c/archived_sessions/rollout-a.jsonl";
    expect(resumed({ session_path: path }, { path })).toMatchObject({
      command: null,
      refused: "archived",
      why: "it is archived; `codex unarchive 01-a` takes it out",
    });
  });
});
