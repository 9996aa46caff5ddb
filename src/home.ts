import { isAbsolute, join, resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Where Daybook keeps what it makes: `$DAYBOOK_HOME`, else the platform's place for a program's data. */
export function daybookHome(env: Env, platform: string, home: string): string {
  const given = said(env["DAYBOOK_HOME"]);
  if (given !== null) return resolve(given);
  if (platform === "win32") return join(said(env["LOCALAPPDATA"]) ?? join(home, "AppData", "Local"), "daybook");
  if (platform === "darwin") return join(home, "Library", "Application Support", "daybook");
  const data = said(env["XDG_DATA_HOME"]);
  // The XDG rules say that a relative value is to be ignored.
  return join(data !== null && isAbsolute(data) ? data : join(home, ".local", "share"), "daybook");
}

function said(value: string | undefined): string | null {
  return value === undefined || value.trim() === "" ? null : value;
}
