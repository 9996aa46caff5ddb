import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configPath } from "../doors/cli/config.ts";
import { daybookHome, expandHome, homeDirectory } from "./home.ts";

describe("Daybook's home", () => {
  it("is the variable's folder, else the platform's place for data", () => {
    expect(daybookHome({ DAYBOOK_HOME: "/data/db", XDG_DATA_HOME: "/x" }, "linux", "/home/u")).toBe("/data/db");
    expect(daybookHome({ XDG_DATA_HOME: "/x" }, "linux", "/home/u")).toBe(join("/x", "daybook"));
    expect(daybookHome({}, "freebsd", "/home/u")).toBe(join("/home/u", ".local/share/daybook"));
    expect(daybookHome({}, "darwin", "/Users/u")).toBe(join("/Users/u", "Library/Application Support/daybook"));
    expect(daybookHome({ LOCALAPPDATA: "/L" }, "win32", "/u")).toBe(join("/L", "daybook"));
    expect(daybookHome({}, "win32", "/u")).toBe(join("/u", "AppData/Local/daybook"));
  });

  it("counts an empty variable as unset", () => {
    const home = join("/home/u", ".local/share/daybook");
    for (const blank of ["", " "])
      expect(daybookHome({ DAYBOOK_HOME: blank, XDG_DATA_HOME: blank }, "linux", "/home/u")).toBe(home);
    expect(daybookHome({ LOCALAPPDATA: "" }, "win32", "/u")).toBe(join("/u", "AppData/Local/daybook"));
  });

  // The XDG specification would have a relative directory ignored: the book would be somewhere nobody named.
  it("is never a relative directory", () => {
    for (const name of ["DAYBOOK_HOME", "XDG_DATA_HOME"])
      for (const value of ["x", ".", "./x", "../x"])
        expect(() => daybookHome({ [name]: value }, "linux", "/home/u")).toThrow(`$${name} is not an absolute path`);
    expect(() => daybookHome({ LOCALAPPDATA: "x" }, "win32", "/u")).toThrow("$LOCALAPPDATA is not an absolute path: x");
    for (const platform of ["linux", "darwin", "win32"])
      for (const home of [null, "", "u"])
        expect(() => daybookHome({}, platform, home)).toThrow("there is no home directory for the book");
  });
});

describe("the file of settings", () => {
  it("is the variable's, else in the platform's place for settings", () => {
    expect(configPath({ DAYBOOK_CONFIG: "/c.toml", HOME: "/home/u" }, "linux")).toBe("/c.toml");
    expect(configPath({ XDG_CONFIG_HOME: "/x", HOME: "/home/u" }, "linux")).toBe(join("/x", "daybook/config.toml"));
    expect(configPath({ APPDATA: "/R" }, "win32")).toBe(join("/R", "daybook/config.toml"));
  });

  it("counts an empty variable as unset, and there is none without a home", () => {
    const blank = { DAYBOOK_CONFIG: "", XDG_CONFIG_HOME: "", APPDATA: " " };
    expect(configPath({ ...blank, HOME: "/home/u" }, "linux")).toBe(join("/home/u", ".config/daybook/config.toml"));
    expect(configPath({ ...blank, USERPROFILE: "/u" }, "win32")).toBe(
      join("/u", "AppData/Roaming/daybook/config.toml"),
    );
    for (const platform of ["linux", "darwin", "win32"])
      expect(configPath({ ...blank, HOME: "" }, platform)).toBeNull();
  });

  it("is never in a relative directory", () => {
    for (const name of ["DAYBOOK_CONFIG", "XDG_CONFIG_HOME", "HOME"])
      expect(() => configPath({ HOME: "/home/u", [name]: "x" }, "linux")).toThrow(
        `$${name} is not an absolute path: x`,
      );
  });
});

describe("the user's home directory", () => {
  it("is the first that is named", () => {
    expect(homeDirectory({ HOME: "/home/u", USERPROFILE: "/p" })).toBe("/home/u");
    expect(homeDirectory({ HOME: "", USERPROFILE: "/p" })).toBe("/p");
    expect(homeDirectory({ HOME: "" })).toBeNull();
    expect(() => homeDirectory({ HOME: "u" })).toThrow("$HOME is not an absolute path: u");
  });

  it("is needed for ~", () => {
    expect(expandHome("~/book", { HOME: "/home/u" })).toBe("/home/u/book");
    expect(expandHome("book", {})).toBe("book");
    expect(() => expandHome("~/book", { HOME: "" })).toThrow("there is no home directory for ~/book");
  });
});
