import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DaybookError } from "../errors.ts";
import type { Config } from "./config-file.ts";
import type { Io } from "./io.ts";

export function configPath(env: Io["env"], platform: string = process.platform): string {
  const given = env["DAYBOOK_CONFIG"];
  if (given !== undefined && given.trim() !== "") return resolve(given);
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  if (platform === "win32") return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "daybook", "config.toml");
  if (platform === "darwin") return join(home, "Library", "Application Support", "daybook", "config.toml");
  return join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "daybook", "config.toml");
}

/** Reads the file when there is one; the parser is only loaded then. */
export async function readConfig(io: Io): Promise<Config> {
  const path = configPath(io.env);
  if (!existsSync(path)) return {};
  const { parse } = await import("smol-toml");
  let value: Record<string, unknown>;
  try {
    value = parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw wrong(path, cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : "it cannot be read");
  }
  const near = (entry: string): string => resolve(dirname(path), entry.replace(/^~(?=\/|$)/, io.env["HOME"] ?? "~"));
  const config: Config = {};
  for (const [key, given] of Object.entries(value)) {
    if (key === "home" && typeof given === "string") config.home = near(given);
    else if (key === "timezone" && typeof given === "string") config.timezone = given;
    else if (key === "aider_dirs" && isList(given)) config.aider_dirs = given.map(near);
    else if (key === "projects" && isTable(given)) config.projects = projectsOf(given, path, near);
    else if (key === "roots" && isTable(given)) config.roots = rootsOf(given, path, near);
    else throw wrong(path, `\`${key}\` is not known or not of its kind`);
  }
  return config;
}

function rootsOf(
  table: Record<string, unknown>,
  path: string,
  near: (entry: string) => string,
): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(table).map(([source, given]) => {
      const list = typeof given === "string" ? [given] : given;
      if (!isList(list)) throw wrong(path, `roots.${source} takes a path or a list of paths`);
      return [source, list.map(near)];
    }),
  );
}

function projectsOf(
  table: Record<string, unknown>,
  path: string,
  near: (entry: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).map(([dir, name]) => {
      if (typeof name !== "string" || name.trim() === "") throw wrong(path, `projects."${dir}" takes a name`);
      // What another system calls a directory has no place relative to this file.
      return [/^(?:[A-Za-z]:|[\\/]{2})/.test(dir) ? dir : near(dir), name];
    }),
  );
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(path: string, what: string): DaybookError {
  return new DaybookError(`${path}: ${what}`, {
    code: "usage",
    op: "read config",
    path,
    hint: 'known keys: home, timezone, aider_dirs = ["…"], [roots] codex = "…", [projects] "/a/directory" = "name"',
  });
}
