import { isAbsolute, join, resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Where Daybook stores its data: `$DAYBOOK_HOME`, else the platform's directory for application data. */
export function daybookHome(env: Env, platform: string, home: string): string {
  const given = nonBlank(env["DAYBOOK_HOME"]);
  if (given !== null) return resolve(given);
  if (platform === "win32") return join(nonBlank(env["LOCALAPPDATA"]) ?? join(home, "AppData", "Local"), "daybook");
  if (platform === "darwin") return join(home, "Library", "Application Support", "daybook");
  const data = nonBlank(env["XDG_DATA_HOME"]);
  // The XDG specification requires that relative values are ignored.
  return join(data !== null && isAbsolute(data) ? data : join(home, ".local", "share"), "daybook");
}

function nonBlank(value: string | undefined): string | null {
  return value === undefined || value.trim() === "" ? null : value;
}
