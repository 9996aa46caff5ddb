import { describe, expect, it } from "vitest";
import type { LogRecord } from "../../src/record/record.ts";
import { renderSessionHtml } from "../../src/render/html.ts";
import { type Daybook, inside } from "../../src/answers/daybook.ts";
import { CA, CT, CU, open, toolUse } from "../cases/build.ts";
import { SAMPLE_ROOTS, samples } from "./formats.ts";

async function pageOf(daybook: Daybook, target: string): Promise<string> {
  const { session, turn } = await daybook.find(target);
  const records: LogRecord[] = [];
  for await (const record of daybook.records(target)) records.push(record);
  const turns = (turn ? [turn] : session.turns).map((one) => inside(daybook).turnJson(one));
  return renderSessionHtml(
    inside(daybook).sessionJson(session),
    { turns, shown: await inside(daybook).shownOutcomes(turns) },
    records,
    daybook.zone,
  );
}

describe("HTML page of a session", () => {
  it("shows messages, commands and their outcomes, each with its line number", async () => {
    const page = await pageOf(samples(SAMPLE_ROOTS), "7c1e4a52-0d9b-4f6e-9a57-3b8f21c6d0e4/T0004");
    expect(page).toContain('<section id="T0004"');
    expect(page).not.toContain('id="T0003"');
    expect(page).toMatch(
      /<pre class="\w+">Commit it and push[^<]*<\/pre>\s+<small class="foot \w+"><span>Tuesday 12 May 2026 12:12<\/span>\s+<span>T0004<\/span>\s+<span>line 79<\/span>/,
    );
    expect(page).toMatch(
      />git push -u origin drop-old-stations<\/span>\s+<span class="end wait \w+">denied · line 85 <span[^>]* title="denied"/,
    );
  });

  it("escapes all session text and loads nothing from outside", async () => {
    const hostile = `</pre></details><script>alert(1)</script>"' onload=x \u001b[31m \u202e http://evil.example`;
    const book = open({
      claude: {
        "b.jsonl": [CU(hostile), CA([toolUse("t", hostile, { command: hostile })]), CT("t", hostile), CA(hostile)],
      },
    });
    const page = await pageOf(book, "b");
    expect(page.match(/alert\(1\)/g)?.length).toBeGreaterThan(3);
    expect(page).not.toMatch(/<script|<img|<link|[\u001b\u202e]|href=|src=/i);
    expect(page).toContain("default-src &#39;none&#39;");
    for (const tag of ["div", "p", "pre", "details", "summary", "span"]) {
      const count = (pattern: string): number => page.match(new RegExp(pattern, "g"))?.length ?? 0;
      expect(count(`<${tag}[ >]`), tag).toBe(count(`</${tag}>`));
    }
  });
});
