import { expect, it } from "vitest";
import { openerOf } from "./opener.ts";

const exists = (path: string): boolean => path === "/usr/bin/xdg-open" || path === "/usr/bin/wslview";

it.each([
  ["darwin", {}, "open"],
  ["win32", {}, "cmd"],
  ["linux", { PATH: "/bin:/usr/bin", DISPLAY: ":0" }, "xdg-open"],
  ["linux", { PATH: "/usr/bin", WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
  ["linux", { PATH: "/usr/bin", WSL_DISTRO_NAME: "Debian" }, "wslview"],
  // No display, no such program, no PATH.
  ["linux", { PATH: "/usr/bin" }, null],
  ["linux", { PATH: "/bin", DISPLAY: ":0" }, null],
  ["linux", { DISPLAY: ":0" }, null],
  ["linux", { PATH: "/bin", WSL_DISTRO_NAME: "Debian" }, null],
] as const)("on %s with %j files are opened by %s", (platform, env, command) => {
  expect(openerOf(platform, env, exists)?.command ?? null).toBe(command);
});
