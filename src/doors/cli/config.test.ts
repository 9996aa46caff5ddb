import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";
import type { Io } from "./io.ts";
import { main } from "./main.ts";

function io(toml: string): Io & { text: string; dir: string } {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "daybook-config-")));
  const path = join(dir, "config.toml");
  writeFileSync(path, toml);
  const created = {
    dir,
    text: "",
    now: Date.UTC(2026, 5, 1),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: false,
    env: { HOME: "/home/u", DAYBOOK_CONFIG: path },
    out: (text: string) => void (created.text += text),
    err: (text: string) => void (created.text += text),
  };
  return created;
}

describe("project names in config.toml", () => {
  it("are keyed by absolute directories; Windows paths stay as written", async () => {
    const configured = io(
      String.raw`projects = { "~/src/shop" = "shop", "notes" = "天気", 'C:\code\app' = "app", '\\srv\x' = "x" }`,
    );
    expect((await readConfig(configured)).projects).toEqual({
      "/home/u/src/shop": "shop",
      [join(configured.dir, "notes")]: "天気",
      "C:\\code\\app": "app",
      "\\\\srv\\x": "x",
    });
  });

  it("must be non-empty strings", async () => {
    await expect(readConfig(io('[projects]\n"/a" = 1'))).rejects.toThrow('projects."/a" takes a name');
    await expect(readConfig(io('[projects]\n"/a" = " "'))).rejects.toThrow("takes a name");
  });

  it("are the projects that `sessions` lists", async () => {
    const configured = io('[projects]\n"/home/u/src" = "Wetter"');
    const sessions = join(configured.dir, "codex");
    mkdirSync(sessions);
    const line = (type: string, payload: unknown): string =>
      `${JSON.stringify({ timestamp: "2026-05-12T08:00:00.000Z", type, payload })}\n`;
    writeFileSync(
      join(sessions, "rollout-a.jsonl"),
      line("session_meta", { id: "a", cwd: "/home/u/src/天気予報", timestamp: "2026-05-12T08:00:00.000Z" }) +
        line("event_msg", { type: "user_message", message: "go" }),
    );
    expect(await main(["sessions", "--json", "--root", `codex=${sessions}`], configured)).toBe(0);
    expect(JSON.parse(configured.text)).toMatchObject({ sessions: [{ project: "Wetter" }] });
    const plain = io("");
    expect(await main(["sessions", "--json", "--root", `codex=${sessions}`], plain)).toBe(0);
    expect(JSON.parse(plain.text)).toMatchObject({ sessions: [{ project: "天気予報" }] });
  });
});

describe("[otlp] in config.toml", () => {
  it("sets the headers for a collector, and accepts no other keys or types", async () => {
    const toml = '[otlp.headers]\nauthorization = "Bearer x"\n"x-scope" = "a"';
    expect((await readConfig(io(toml))).otlp).toEqual({ headers: { authorization: "Bearer x", "x-scope": "a" } });
    await expect(readConfig(io('[otlp]\nendpoint = "https://x"'))).rejects.toThrow("`otlp.endpoint` is not known");
    await expect(readConfig(io("[otlp.headers]\na = 1"))).rejects.toThrow("`otlp.headers.a` takes a text");
    await expect(readConfig(io('[otlp]\nheaders = "a=b"'))).rejects.toThrow("`otlp.headers` takes a table");
  });
});

describe("[team] in config.toml", () => {
  it("sets URL, level, machine, token and salt of a push", async () => {
    const toml = '[team]\nurl = "https://daybook.example"\nlevel = "turns"\nmachine = "desk"\ntoken = "t"\nsalt = "s"';
    expect((await readConfig(io(toml))).team).toEqual({
      url: "https://daybook.example",
      level: "turns",
      machine: "desk",
      token: "t",
      salt: "s",
    });
  });

  it("rejects unknown levels, unknown keys and wrong types", async () => {
    await expect(readConfig(io('[team]\nlevel = "all"'))).rejects.toThrow("`team.level` is not known");
    await expect(readConfig(io('[team]\npassword = "x"'))).rejects.toThrow("`team.password` is not known");
    await expect(readConfig(io("[team]\nurl = 1"))).rejects.toThrow("`team.url` takes a text");
  });
});
