/** Where editors made from VS Code keep the data of their user. */
import { join } from "node:path";
import type { DiscoverContext } from "../contract.ts";

/** The directories `User` of the editors with these names, as they call themselves on disk (`Code`, `Cursor`). */
export function editorHomes({ env, home }: Pick<DiscoverContext, "env" | "home">, names: readonly string[]): string[] {
  const base =
    process.platform === "darwin"
      ? join(home, "Library", "Application Support")
      : process.platform === "win32"
        ? env["APPDATA"]?.trim() || join(home, "AppData", "Roaming")
        : env["XDG_CONFIG_HOME"]?.trim() || join(home, ".config");
  return names.map((name) => join(base, name, "User"));
}
