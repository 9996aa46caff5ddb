import { expect, test } from "vitest";
import { Zone } from "../../../base/time/zone.ts";
import { timeGainOf } from "./asked-time.ts";

const ZONE = new Zone("Europe/Berlin");
/** A Wednesday. */
const NOW = Date.parse("2026-05-13T10:00:00Z");
const gain = (question: string, time: string | null): number | null =>
  timeGainOf(question, ZONE, NOW)?.(time === null ? null : Date.parse(time)) ?? null;

test.each([
  ["what did we decide about refunds yesterday?", "2026-05-12T09:00:00Z", "2026-05-08T09:00:00Z"],
  ["why was the export slow last week", "2026-05-05T09:00:00Z", "2026-04-21T09:00:00Z"],
  ["what broke two days ago", "2026-05-11T09:00:00Z", "2026-05-04T09:00:00Z"],
  ["the fix of 2026-04-02, what was it", "2026-04-02T09:00:00Z", "2026-04-09T09:00:00Z"],
  ["what went out on 3 april?", "2026-04-03T09:00:00Z", "2026-04-10T09:00:00Z"],
  ["was haben wir letzte Woche gelöscht", "2026-05-06T09:00:00Z", "2026-04-22T09:00:00Z"],
  ["昨日のエラーの原因は", "2026-05-12T09:00:00Z", "2026-05-05T09:00:00Z"],
  ["the friday deploy", "2026-04-10T09:00:00Z", "2026-04-09T09:00:00Z"],
  // Midnight in Berlin is 22:00 in UTC.
  ["what did I drop in the middle of the night?", "2026-04-10T22:10:00Z", "2026-04-10T12:00:00Z"],
  ["who was blocking it that morning", "2026-04-10T05:00:00Z", "2026-04-10T15:00:00Z"],
])("raises the score of turns from the time that a question names: %s", (question, named, other) => {
  expect(gain(question, named)).toBeGreaterThan(gain(question, other) ?? Infinity);
  expect(gain(question, other)).toBe(1);
  expect(gain(question, null)).toBe(1);
});

test("raises the score of the day next to the named day, but less", () => {
  const [named, nextTo] = [
    gain("errors yesterday", "2026-05-12T09:00:00Z"),
    gain("errors yesterday", "2026-05-11T09:00:00Z"),
  ];
  expect(nextTo).toBeGreaterThan(1);
  expect(named).toBeGreaterThan(nextTo ?? Infinity);
});

test.each([
  "how long may a reset link be valid",
  "the job that took two days",
  "what does the nightly import read",
  "who runs the morning report",
  "march through all files",
])("finds no time in a question without one: %s", (question) => expect(timeGainOf(question, ZONE, NOW)).toBeNull());
