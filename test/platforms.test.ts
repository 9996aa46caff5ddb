import { readFileSync } from "node:fs";
import { posix, win32 } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
// @ts-expect-error a plain JavaScript file without types
import { cachePlace as untyped } from "../bin/code-cache.js";
import type { Source } from "../src/agents/contract.ts";

const cachePlace = untyped as (env: object, platform: string) => string[] | null;

const DOCS = readFileSync(new URL("../docs/platforms.md", import.meta.url), "utf8");

const SYSTEMS = {
  Linux: { platform: "linux", home: "/home/nia", env: { HOME: "/home/nia" } },
  macOS: { platform: "darwin", home: "/Users/nia", env: { HOME: "/Users/nia" } },
  Windows: {
    platform: "win32",
    home: "C:\\Users\\nia",
    env: {
      USERPROFILE: "C:\\Users\\nia",
      APPDATA: "C:\\Users\\nia\\AppData\\Roaming",
      LOCALAPPDATA: "C:\\Users\\nia\\AppData\\Local",
    },
  },
} as const;
type System = keyof typeof SYSTEMS;

/** The rows of the table under a heading: name, environment variable, and the paths on each system. */
function table(heading: string): { name: string; variable: string; cells: Record<System, string[]> }[] {
  const rows = (DOCS.split(`## ${heading}\n`)[1] ?? "").split(/\n## /)[0]?.split("\n") ?? [];
  const cells = rows.filter((row) => row.startsWith("| ")).map((row) => row.split("|").map((cell) => cell.trim()));
  const places = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, place = ""]) => place);
  return cells.slice(1).map(([, name = "", variable = "", linux, mac, windows]) => ({
    name: name.replaceAll("`", ""),
    variable: variable.replaceAll("`", ""),
    cells: { Linux: places(linux), macOS: places(mac), Windows: places(windows) },
  }));
}

/** The absolute path on that system. */
function expand(place: string, system: System): string {
  const { home, env } = SYSTEMS[system];
  return place
    .replace(/^~/, home)
    .replace(/^%(\w+)%/, (_, name: string) => (env as Record<string, string>)[name] ?? "");
}

const realPlatform = process.platform;

describe.each(Object.keys(SYSTEMS) as System[])("on %s", (system) => {
  const { platform, home, env } = SYSTEMS[system];
  beforeEach(() => {
    vi.resetModules();
    Object.defineProperty(process, "platform", { value: platform });
    const kind = platform === "win32" ? win32 : posix;
    vi.doMock("node:path", () => ({ ...kind, default: kind }));
  });
  afterEach(() => {
    vi.doUnmock("node:path");
    Object.defineProperty(process, "platform", { value: realPlatform });
  });

  async function sources(): Promise<readonly Source[]> {
    return (await import("../src/agents/registry.ts")).SOURCES;
  }

  function lookedAt(source: Source, variables: Readonly<Record<string, string>>): string[] {
    const looked: string[] = [];
    const ctx = {
      env: variables,
      home,
      roots: null,
      looked: (path: string) => void looked.push(path),
      report: () => undefined,
    };
    expect([...source.discover(ctx)]).toEqual([]);
    return looked;
  }

  it("sessions are searched for where docs/platforms.md says, and in the agent's variable", async () => {
    const rows = table("Where sessions are looked for");
    const all = await sources();
    expect(rows.map(({ name }) => name).toSorted()).toEqual(all.map(({ name }) => name).toSorted());
    for (const source of all) {
      const row = rows.find(({ name }) => name === source.name);
      const places = row?.cells[system].map((place) => expand(place, system)) ?? [];
      expect([source.id, lookedAt(source, env).toSorted()]).toEqual([source.id, places.toSorted()]);
      // One agent has no variable of its own.
      if (row?.variable === "–") continue;
      const elsewhere = platform === "win32" ? "D:\\agents\\own" : "/mnt/own";
      const looked = lookedAt(source, { ...env, [row?.variable ?? ""]: elsewhere });
      expect([source.id, looked.some((path) => path.startsWith(elsewhere))]).toEqual([source.id, true]);
    }
  });

  it("the book, the configuration file and compiled code are where docs/platforms.md says", async () => {
    const [book, config, code] = table("Where Daybook keeps its own").map(({ cells }) =>
      expand(cells[system][0] ?? "", system),
    );
    const { daybookHome } = await import("../src/base/home.ts");
    const { configPath } = await import("../src/doors/cli/config.ts");
    expect(daybookHome(env, platform, home)).toBe(book);
    expect(configPath(env, platform)).toBe(config);
    const path = await import("node:path");
    expect(path.join(...(cachePlace(env, platform) ?? []), "code")).toBe(code);
  });

  it("~ expands to the home directory, and folder prefixes end with the system's separator", async () => {
    const { expandHome } = await import("../src/base/home.ts");
    const { folderOf } = await import("../src/index/tables/scope.ts");
    const path = await import("node:path");
    const root = path.join(home, ".codex");
    expect(expandHome(root.replace(home, "~"), env)).toBe(root);
    expect(path.join(root, "sessions", "a.jsonl").startsWith(folderOf(root))).toBe(true);
    expect(folderOf(folderOf(root))).toBe(folderOf(root));
  });

  it("the session id of Codex and Claude Code is taken from the file name", async () => {
    const path = await import("node:path");
    const id = "019e2f1c-0000-7000-8000-000000000001";
    const paths: Record<string, string> = {
      codex: path.join(home, ".codex", "sessions", "2026", "05", "01", `rollout-2026-05-01T10-00-00-${id}.jsonl`),
      "claude-code": path.join(home, ".claude", "projects", "-home-nia", `${id}.jsonl`),
    };
    const all = await sources();
    for (const [name, file] of Object.entries(paths)) {
      const source = all.find((one) => one.id === name);
      expect(source?.sessionId({ source: name, path: file, size: 0, mtimeMs: 0, container: "jsonl" }), name).toBe(id);
    }
  });
});
