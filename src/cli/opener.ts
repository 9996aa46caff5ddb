import { isOnPath, startAside } from "./programs.ts";

/** The program that shows a file as its owner is used to, and the words before the path. */
export interface Opener {
  command: string;
  words: string[];
}

/** Null where there is none: no such program, or no screen it could show anything on. */
export function openerOf(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  isProgram?: (path: string) => boolean,
): Opener | null {
  if (platform === "darwin") return { command: "open", words: [] };
  // `start` is no program of its own; the empty word is the title of a window.
  if (platform === "win32") return { command: "cmd", words: ["/c", "start", ""] };
  const known = (name: string): boolean => isOnPath(name, env, isProgram);
  // Linux inside Windows shows files there.
  if (env["WSL_DISTRO_NAME"] !== undefined && known("wslview")) return { command: "wslview", words: [] };
  const hasScreen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen && known("xdg-open") ? { command: "xdg-open", words: [] } : null;
}

/** Hands the file over and does not wait: what shows it may stay open for days. */
export function openWith({ command, words }: Opener, path: string, failed: (why: string) => void): void {
  startAside(command, [...words, path], { detached: true }, failed);
}
