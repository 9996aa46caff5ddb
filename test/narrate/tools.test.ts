import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Agent } from "../../src/narrate/agents/model.ts";
import { EvidenceStore } from "../../src/narrate/evidence-store.ts";
import { NarrationTools } from "../../src/narrate/tools/serve.ts";
import type { ToolTask } from "../../src/narrate/tools/task.ts";
import { createToolProvider } from "../../src/narrate/tools/mcp-tool-provider.ts";
import { Redactor } from "../../src/base/redact/redact.ts";
import { filesOf, narrated, sampleWorkspace, scripted } from "./day.ts";
import { honest } from "./narrator.ts";

const redactor = new Redactor();
const storeOf = (): EvidenceStore => new EvidenceStore(mkdtempSync(join(tmpdir(), "daybook-narrate-")));

/** An agent that calls the tools in this process. It reads all turns and writes its answer, after an invalid one if `lie`. */
function withTools(lie: boolean): Agent & { asked: string[] } {
  const agent = scripted(() => "done");
  return {
    ...agent,
    callsTools: true,
    async ask({ prompt, server, ...rest }) {
      const path = server?.command.at(-1) ?? "";
      const task = JSON.parse(readFileSync(path, "utf8")) as ToolTask;
      const tools = await NarrationTools.open(task, redactor, storeOf());
      for (const value of valuesFor(prompt, task, tools)) {
        if (lie) {
          const wrong = tools.write({ ...value, ...("turn_ref" in value ? { materiality: "huge" } : { title: 5 }) });
          expect(wrong).toMatchObject({ status: "invalid", errors: [{ hint: expect.any(String) as string }] });
        }
        expect(tools.write(value)).toMatchObject({ status: "accepted" });
      }
      return agent.ask({ prompt, server: server ?? null, ...rest });
    },
  };
}

function valuesFor(prompt: string, task: ToolTask, tools: NarrationTools): Record<string, unknown>[] {
  if (task.kind !== "evidence") {
    const answer = JSON.parse(honest(prompt)) as Record<string, unknown>;
    return (answer["work_items"] as Record<string, unknown>[] | undefined) ?? [answer];
  }
  const turns = [...prompt.matchAll(/^- (T\d+): lines (\d+)-(\d+)/gm)].map(([, ref = "", first = "", last = ""]) => {
    const range = { start_line: Number(first), end_line: Number(last), mode: "compact" as const };
    const page = tools.read({ project_key: task.project, session_ref: task.session, ...range });
    if ("status" in page) throw new Error(JSON.stringify(page));
    return [`== turn ${ref}, lines ${first}-${last}`, ...page.records.map((one) => JSON.stringify(one))].join("\n");
  });
  const fenced = `~~~~~ quoted history\n${turns.join("\n\n")}\n~~~~~ end of quoted history`;
  return (JSON.parse(honest(`${prompt}\n${fenced}`)) as { evidence_chains: Record<string, unknown>[] }).evidence_chains;
}

describe("an agent that answers through tools", () => {
  it("produces the same report as one that answers in JSON", async () => {
    const [byJson, byTools] = [await sampleWorkspace(), await sampleWorkspace()];
    await narrated(byJson, scripted(honest));
    const tools: Parameters<typeof narrated>[2] = {
      tools: (loaded, journal) => createToolProvider(["daybook"], loaded, journal),
    };
    const { rejected } = await narrated(byTools, withTools(true), tools);
    const report = (workspace: string): string | undefined => filesOf(workspace)["report.md"];
    expect(report(byTools)).toBe(report(byJson));
    // Answers that a tool rejected at once are listed too.
    expect(new Set(rejected.map(({ rule }) => rule))).toEqual(new Set(["shape.invalid_value", "shape.invalid_type"]));
    // A second run sends no request.
    const again = withTools(false);
    await narrated(byTools, again, tools);
    expect(again.asked).toEqual([]);
  });

  it("reads only lines of the turns in its task, in full or compact form, without secrets", async () => {
    const workspace = await sampleWorkspace();
    const key = "harbor-labs-tidepool-dfe683902bdf";
    const task: ToolTask = {
      kind: "evidence",
      workspace,
      writes: join(workspace, "w"),
      project: key,
      session: "S0001",
      turns: ["T0001"],
    };
    const tools = await NarrationTools.open(task, redactor, storeOf());
    const hiding = new Redactor({ rules: [{ name: "own", pattern: /old station list/g }], exceptions: [] });
    const redacted = await NarrationTools.open(task, hiding, storeOf());
    const at = { project_key: key, session_ref: "S0001", start_line: 5, end_line: 6 };
    expect(tools.read({ ...at, mode: "full" })).toMatchObject({
      records: [{ line: 5 }, { line: 6 }],
      next_cursor: null,
    });
    for (const mode of ["full", "compact"] as const) {
      expect(JSON.stringify(tools.read({ ...at, mode }))).toContain("use the old station list?");
      expect(JSON.stringify(redacted.read({ ...at, mode }))).toContain("use the [redacted:own]?");
    }
    for (const wrong of [{ session_ref: "S0002" }, { end_line: 400 }, { project_key: "x".repeat(100_000) }]) {
      const reply = tools.read({ ...at, mode: "compact", ...wrong });
      expect(reply).toMatchObject({ status: "invalid" });
      expect(JSON.stringify(reply).length).toBeLessThan(32 * 1024);
    }
  });
});
