import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/pi/rules.ts";
import { call, FILE, Script } from "../../src/agents/pi/testing.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

function recordsOfEveryType(): object[] {
  const script = new Script();
  script.add("message", { message: { role: "system", content: "You are pi" } });
  script.add("model_change", { modelId: "m", provider: "p" });
  script.add("thinking_level_change", { thinkingLevel: "high" });
  script.add("active_tools_change", {});
  script.user("go");
  script.says([call("c1")], "toolUse");
  script.result("c1", "a\n");
  script.user("faster", Date.UTC(2026, 10, 15, 7, 0, 3));
  script.says("no", "error", { errorMessage: "overloaded" });
  script.says("yes");
  script.user("again");
  script.says("", "aborted");
  script.user("once more");
  script.says("no", "error", { errorMessage: "overloaded" });
  script.add("message", { message: { role: "bashExecution", command: "make", output: "", exitCode: 0 } });
  script.add("message", { message: { role: "custom", content: "an extension says" } });
  script.add("message", { message: { role: "branchSummary", summary: "what was left" } });
  script.add("message", { message: { role: "oracle", content: "?" } });
  script.add("custom_message", { content: "x" });
  script.add("branch_summary", { summary: "x" });
  script.add("compaction", { summary: "all of it" });
  script.add("session_info", { name: "t" });
  script.add("context_edit", {});
  script.add("usage", { usage: { input: 1, output: 1 } });
  script.add("custom", {});
  script.add("label", {});
  script.add("hologram", {});
  return [...script.records, script.records.at(1) ?? {}];
}

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: `sessions/--w--/${FILE}`,
    lines: [...recordsOfEveryType(), "", "{not json", DEEP, "[1]", "\0\0\0", '{"type":"torn"'],
    ended: false,
  },
  {
    name: `sessions/--w--/${FILE.replace(".jsonl", "")}/2026-11-15T07-10-00-000Z_child.jsonl`,
    lines: (() => {
      const script = new Script({ id: "child" });
      script.user("count the lines");
      return script.records;
    })(),
  },
];

export const PI: Listed = {
  reasons: reasonsOf("pi", CLASSES),
  folder: "src/agents/pi",
  prefix: "pi",
  fixtures: /^pi-/,
  files: FILES,
  unreached: {
    "pi.line.too_large": "needs a line of many megabytes",
  },
};
