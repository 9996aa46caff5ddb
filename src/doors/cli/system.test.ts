import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../../../test/store/fixture.ts";
import { ancestorEnvironments, openerOf } from "./system.ts";

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

/** Makes a process as the system shows it. */
function processIn(proc: string, pid: number, parent: number, environment: string): void {
  mkdirSync(join(proc, String(pid)));
  writeFileSync(join(proc, String(pid), "environ"), environment);
  writeFileSync(join(proc, String(pid), "status"), `Name:\tx\nPPid:\t${parent}\nUid:\t0\n`);
}

it("finds the variables of every program above this one, up to one that cannot be read", () => {
  const proc = scratch("proc");
  processIn(proc, 30, 20, "A=1\0B=x=y\0=broken\0");
  processIn(proc, 20, 10, "CLAUDECODE=1\0");
  processIn(proc, 10, 7, "");
  expect(ancestorEnvironments(proc, 30)).toEqual([{ A: "1", B: "x=y" }, { CLAUDECODE: "1" }, {}]);
  expect(ancestorEnvironments(proc, 40)).toEqual([]);
});

it("ends in a circle of programs", () => {
  const proc = scratch("proc");
  processIn(proc, 30, 30, "A=1");
  expect(ancestorEnvironments(proc, 30)).toHaveLength(64);
});

it("finds its own parent where the system shows it", () => {
  const expected = process.platform === "linux" ? expect.arrayContaining([expect.objectContaining({})]) : [];
  expect(ancestorEnvironments()).toEqual(expected);
});
