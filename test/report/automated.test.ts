import { expect, it } from "vitest";
import { FORMATS } from "./formats.ts";
import { DAYS, month, TRUTH } from "./month.ts";

const PROMPT = "Check all repositories for outdated dependencies";

it("scheduled prompts are recognised as automated, directly and from the book", async () => {
  const wanted = TRUTH.sessions.filter(({ automated }) => automated).map(({ session }) => session);
  expect(wanted.length).toBe(10);
  for (const withBook of [false, true]) {
    const daybook = month(withBook);
    const found: string[] = [];
    for (const day of DAYS) {
      const { projects } = await daybook.report({ date: day });
      for (const turn of projects.flatMap((project) => project.turns))
        if (turn.trigger.entry === "automated") found.push(turn.session_id);
    }
    expect(found.toSorted()).toEqual(wanted.toSorted());
    daybook.close();
  }
});

it("automated turns have a section of their own and only a count in the stand-up", async () => {
  const report = await month().report({ date: "2026-09-16" });
  for (const name of ["full.txt", "report.md", "report.html"]) {
    const text = FORMATS[name]?.(report) ?? "";
    const heading = text.search(/^(?:## |\s*<h2>)?Automated/m);
    expect(heading, name).toBeGreaterThan(0);
    // The timeline of the HTML page mentions every turn before any section, so it is skipped.
    const body = name === "report.html" ? text.slice(text.indexOf("</svg>")) : text;
    expect(body.indexOf(PROMPT), name).toBeGreaterThan(body.search(/^(?:## |\s*<h2>)?Automated/m));
  }
  const summary = FORMATS["terminal.txt"]?.(report) ?? "";
  expect(summary).toMatch(/^Automated in platform-infra: 1 request; Morning check/m);
  expect(summary).not.toContain(PROMPT);
  const standup = FORMATS["standup.md"]?.(report) ?? "";
  expect(standup).not.toContain(PROMPT);
  expect(standup).toContain("And 1 automated request.");
});
