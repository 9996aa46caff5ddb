import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CORPUS } from "../truth.ts";
import { answers, differences, open, scratch } from "./fixture.ts";

const GENUINE = join(
  CORPUS,
  "claude-1.0.64/projects/-srv-dev-labs-claude-1-0-64/088b10c2-84f8-448e-a506-44fa22db55fe.jsonl",
);

/** A genuine session whose tool result is replaced by a long text and a large image. */
function session(text: string): string {
  const lines = readFileSync(GENUINE, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"tool_result"'));
  const image = `{"type":"image","source":{"type":"base64","data":"${"iVBORw0K".repeat(600_000)}"}}`;
  const content = `[${image},{"type":"text","text":"${text}"}]`;
  lines[at] = lines[at]?.replace(/"content":"README\.md\\napp\.py"/, () => `"content":${content}`) ?? "";
  expect(lines[at]?.length).toBeGreaterThan(4 * 1024 * 1024);
  return lines.join("\n");
}

it("a long text beside a large image is stored whole, and found by its last word", async () => {
  const dir = scratch("long");
  const words = String.raw`na\u00efve \ud83d\ude00 lines `.repeat(12_000);
  writeFileSync(join(dir, "088b10c2-84f8-448e-a506-44fa22db55fe.jsonl"), session(`${words}zanzibar`));
  const roots = { "claude-code": [dir] };
  const home = scratch("home");
  const daybook = open(roots, home);
  expect((await daybook.audit()).totals.records.corrupt).toBe(0);
  const [found] = await daybook.search("zanzibar");
  expect(found?.snippet).toContain("zanzibar");
  let output = "";
  for await (const record of daybook.records("088b10c2"))
    if (record.type === "tool_finished" && record.output) output = record.output;
  expect(output).toContain(`${JSON.parse(`"${words}"`) as string}zanzibar`);
  daybook.close();
  expect(differences(await answers(open(roots, home)), await answers(open(roots)))).toEqual([]);
});
