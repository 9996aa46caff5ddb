import { expect, it } from "vitest";
import { nearest, suggestion } from "./near.ts";

it("nearest finds words with swapped or missing letters and words that begin with the input", () => {
  const known = ["report", "sessions", "search", "show", "sync", "usage", "tools", "turns"];
  expect(nearest("sesions", known)).toEqual(["sessions"]);
  expect(nearest("reprot", known)).toEqual(["report"]);
  expect(nearest("usgae", known)).toEqual(["usage"]);
  expect(nearest("SHOW", known)).toEqual(["show"]);
  expect(nearest("sess", known)).toEqual(["sessions"]);
  expect(nearest("xyzzy", known)).toEqual([]);
  expect(nearest("lantren", ["harbor-labs-lantern", "other"])).toEqual(["harbor-labs-lantern"]);
  expect(nearest("", known)).toEqual([]);
});

it("suggestion lists all words if they are few and none is close", () => {
  expect(suggestion("promt", ["prompt", "reply"])).toBe("did you mean prompt?");
  expect(suggestion("gossip", ["prompt", "reply"])).toBe("one of prompt, reply");
});
