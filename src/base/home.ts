import { isAbsolute, join } from "node:path";
import { DaybookError } from "./errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The directory that a variable names; null if it is unset or blank. A relative one would be another place in every
 * directory Daybook is started from, such as a checkout of somebody else's.
 */
export function directoryIn(env: Env, name: string): string | null {
  const value = valueIn(env, name);
  if (value === null || isAbsolute(value)) return value;
  throw new DaybookError(`$${name} is not an absolute path: ${value}`, {
    code: "usage",
    op: "find a directory",
    hint: `set ${name} to an absolute path, or unset it`,
  });
}

/** The variable's value; null if it is unset or blank. */
export function valueIn(env: Env, name: string): string | null {
  const value = env[name];
  return value === undefined || value.trim() === "" ? null : value;
}

/** The user's home directory as the environment names it; null if it names none. */
export function homeDirectory(env: Env): string | null {
  return directoryIn(env, "HOME") ?? directoryIn(env, "USERPROFILE");
}

/** The same where something needs one. `instead`: how else its place can be named. */
export function homeDirectoryFor(what: string, env: Env, instead?: string): string {
  return homeDirectory(env) ?? stopWithoutHome(what, instead);
}

function stopWithoutHome(what: string, instead?: string): never {
  throw new DaybookError(`there is no home directory for ${what}: $HOME is not set`, {
    code: "usage",
    op: "find the home directory",
    hint: instead === undefined ? "set HOME" : `set HOME, or ${instead}`,
  });
}

/** A path with a leading `~` replaced. */
export function expandHome(path: string, env: Env): string {
  if (!/^~(?:[\\/]|$)/.test(path)) return path;
  return homeDirectoryFor(path, env, "give an absolute path") + path.slice(1);
}

/** A platform's directory for one kind of files: in a variable, else below the user's home. */
interface PlatformPlace {
  variable: string | null;
  below: readonly string[];
}

const DATA: Readonly<Record<string, PlatformPlace>> = {
  win32: { variable: "LOCALAPPDATA", below: ["AppData", "Local"] },
  darwin: { variable: null, below: ["Library", "Application Support"] },
  linux: { variable: "XDG_DATA_HOME", below: [".local", "share"] },
};
const SETTINGS: Readonly<Record<string, PlatformPlace>> = {
  win32: { variable: "APPDATA", below: ["AppData", "Roaming"] },
  darwin: { variable: null, below: ["Library", "Application Support"] },
  linux: { variable: "XDG_CONFIG_HOME", below: [".config"] },
};

/** Null without a home, or if that is relative. */
function placeOn(
  places: Readonly<Record<string, PlatformPlace>>,
  platform: string,
  env: Env,
  home: string | null,
): string | null {
  // Other systems have the directories of Linux.
  const place = places[platform] ?? places["linux"];
  const named = place?.variable ? directoryIn(env, place.variable) : null;
  if (named !== null) return join(named, "daybook");
  return home === null || !isAbsolute(home) || place === undefined ? null : join(home, ...place.below, "daybook");
}

/** Where Daybook stores its data: `$DAYBOOK_HOME`, else in the platform's directory for application data. */
export function daybookHome(env: Env, platform: string, home: string | null): string {
  const place = directoryIn(env, "DAYBOOK_HOME") ?? placeOn(DATA, platform, env, home);
  return place ?? stopWithoutHome("the book", "name a directory with --home or $DAYBOOK_HOME");
}

/** Where the settings are, in the platform's directory for settings; null without a home. */
export function settingsHome(env: Env, platform: string): string | null {
  return placeOn(SETTINGS, platform, env, homeDirectory(env));
}
