import { expect, it } from "vitest";
import { FORMATS } from "./formats.ts";
import { DAYS, month, TRUTH } from "./month.ts";

const WORDS = "Check all repositories for outdated dependencies";

it("what a schedule sends is told from what people ask for, directly and from the book", async () => {
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

it("stands under a headline of its own, and not in a stand-up", async () => {
  const report = await month().report({ date: "2026-09-16" });
  for (const name of ["full.txt", "report.md", "report.html"]) {
    const text = FORMATS[name]?.(report) ?? "";
    const headline = text.search(/^(?:## |\s*<h2>)?Automated/m);
    expect(headline, name).toBeGreaterThan(0);
    // The timeline of the page names every turn before.
    const body = name === "report.html" ? text.slice(text.indexOf("</svg>")) : text;
    expect(body.indexOf(WORDS), name).toBeGreaterThan(body.search(/^(?:## |\s*<h2>)?Automated/m));
  }
  const summary = FORMATS["terminal.txt"]?.(report) ?? "";
  expect(summary).toMatch(/^Automated in platform-infra: 1 turn; Morning check/m);
  expect(summary).not.toContain(WORDS);
  const standup = FORMATS["standup.md"]?.(report) ?? "";
  expect(standup).not.toContain(WORDS);
  expect(standup).toContain("And 1 automated turn.");
});
