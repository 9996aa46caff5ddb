import { readdirSync, type Dirent } from "node:fs";
import { order } from "../../text/order.ts";

/** The entries of a directory, sorted by name. If it cannot be listed, none; `unreadable` gets the error message. */
export function entriesIn(path: string, unreadable: (message: string) => void = () => undefined): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => order(a.name, b.name));
  } catch (error) {
    unreadable(error instanceof Error ? error.message : "cannot be listed");
    return [];
  }
}

export function directoriesIn(path: string): string[] {
  return entriesIn(path)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}
