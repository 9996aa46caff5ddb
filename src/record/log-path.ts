import { basename, join } from "node:path";

/** Path of a session's log. Ids are arbitrary text: characters with a meaning to the file system are escaped. */
export function logPath(dir: string, id: string): string {
  const name = encodeURIComponent(id).replace(/^\./, "%2E").replaceAll("*", "%2A");
  return join(dir, `${name}.jsonl`);
}

/** The id that a log's file name stands for: the only trace of it when the header is lost. */
export function idOfLogPath(path: string): string {
  const name = basename(path).replace(/\.jsonl(?:\.zst)?$/i, "");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
