import { isOnPath, startDetached } from "./programs.ts";

/** The program that opens files on this system, with its arguments before the path. */
export interface Opener {
  command: string;
  words: string[];
}

/** Null if there is no such program, or no screen. */
export function openerOf(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  isProgram?: (path: string) => boolean,
): Opener | null {
  if (platform === "darwin") return { command: "open", words: [] };
  // `start` is built into cmd; the empty argument is the window title.
  if (platform === "win32") return { command: "cmd", words: ["/c", "start", ""] };
  const known = (name: string): boolean => isOnPath(name, env, isProgram);
  // WSL opens files on the Windows side.
  if (env["WSL_DISTRO_NAME"] !== undefined && known("wslview")) return { command: "wslview", words: [] };
  const hasScreen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen && known("xdg-open") ? { command: "xdg-open", words: [] } : null;
}

/** Starts the program and does not wait for it: it may stay open for days. */
export function openWith({ command, words }: Opener, path: string, failed: (why: string) => void): void {
  startDetached(command, [...words, path], { detached: true }, failed);
}
