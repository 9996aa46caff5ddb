import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { daybookHome } from "./home.ts";

it("is the variable's folder, else the platform's place for data", () => {
  expect(daybookHome({ DAYBOOK_HOME: "/data/db", XDG_DATA_HOME: "/x" }, "linux", "/home/u")).toBe(resolve("/data/db"));
  expect(daybookHome({ DAYBOOK_HOME: " " }, "linux", "/home/u")).toBe(join("/home/u", ".local/share/daybook"));
  expect(daybookHome({ XDG_DATA_HOME: "/x" }, "linux", "/home/u")).toBe(join("/x", "daybook"));
  expect(daybookHome({ XDG_DATA_HOME: "x" }, "linux", "/home/u")).toBe(join("/home/u", ".local/share/daybook"));
  expect(daybookHome({}, "darwin", "/Users/u")).toBe(join("/Users/u", "Library/Application Support/daybook"));
  expect(daybookHome({ LOCALAPPDATA: "/L" }, "win32", "/u")).toBe(join("/L", "daybook"));
  expect(daybookHome({}, "win32", "/u")).toBe(join("/u", "AppData/Local/daybook"));
});
