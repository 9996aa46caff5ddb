import { statSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { DiscoverContext } from "../contract.ts";

export function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Goose's own locations (`config/paths.rs`), or the roots the user named instead. */
export function placesOf(ctx: DiscoverContext): string[] {
  if (ctx.roots) return [...ctx.roots];
  const root = ctx.env["GOOSE_PATH_ROOT"]?.trim();
  if (root) return [join(root, "data", "sessions")];
  const data = ctx.env["XDG_DATA_HOME"]?.trim() || join(ctx.home, ".local", "share");
  const places = [join(data, "goose", "sessions")];
  const windows = ctx.env["APPDATA"]?.trim();
  if (windows) places.push(join(windows, "Block", "goose", "data", "sessions"));
  return places;
}
