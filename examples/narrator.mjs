// A narrator for `daybook narrate` without a model: it answers prompts by simple rules from their own text, so that a
// narrative can be tried without an account and always comes out the same. In config.toml:
//   [narrate]
//   command = ["node", "/path/to/examples/narrator.mjs"]
import { readFileSync } from "node:fs";

const prompt = readFileSync(0, "utf8");
const [, quoted = ""] = /(~{5,}) quoted history\n([^]*)\n\1 end of quoted history/.exec(prompt)?.slice(1) ?? [];

// The first words tell which prompt it is.
if (prompt.startsWith("You write down what one coding session shows")) print({ evidence_chains: chains() });
else if (prompt.startsWith("You put the evidence")) print({ work_items: workItems() });
else if (prompt.startsWith("You write a title")) print(week());
else print(day());

function print(answer) {
  process.stdout.write(JSON.stringify(answer));
}

function chains() {
  return quoted
    .split(/^== turn /m)
    .slice(1)
    .map((part) => {
      const [head = "", ...lines] = part.trim().split("\n");
      const [, turn_ref, first, last] = /^(T\d+), lines (\d+)-(\d+)/.exec(head) ?? [];
      return chain(
        turn_ref,
        `${first}-${last}`,
        lines.map((line) => JSON.parse(line)),
      );
    });
}

function chain(turn_ref, all, records) {
  const asked = records.find(({ kind }) => kind === "user");
  const [message = ""] = (asked?.text ?? "").trim().split("\n");
  const changes = records.flatMap((record) =>
    (record.tool_results ?? []).flatMap(({ changes: list = [], status }) =>
      status === "ok" ? list.map(({ path, operation }) => ({ path, operation, record })) : [],
    ),
  );
  // Records of the agent itself; `changes` above also includes those of its sub-agents.
  const own = records.filter(({ agent }) => agent === undefined);
  const commands = own.flatMap((record) => (record.tool_uses ?? []).map(({ name }) => ({ name, record })));
  const said = own.findLast(({ kind }) => kind === "assistant");
  const end = said ?? own.at(-1);
  return {
    turn_ref,
    trigger: {
      type: "explicit_user_message",
      summary: message === "" ? "The human asked without words." : `The human asked: ${message.slice(0, 300)}`,
      quoted_messages: message === "" ? [] : [{ text: message.slice(0, 300), citations: at(asked) }],
      citations: asked ? at(asked) : [all],
    },
    agent_reactions: commands.slice(0, 3).map(({ name, record }) => ({
      summary: `The agent called ${name}.`,
      citations: at(record),
    })),
    outcomes: changes.slice(0, 5).map(({ path, operation, record }) => ({
      category: "code_outcome",
      claim: { created: "created", deleted: "deleted" }[operation] ?? "changed",
      summary: `${path} was ${operation}.`,
      citations: at(record),
    })),
    observed_checks: [],
    terminal_state: {
      type: endOf(turn_ref) ?? (changes.length > 0 ? "material_result" : "no_material"),
      summary: said ? "The agent answered." : "The turn ended without an answer.",
      citations: end ? at(end) : [all],
    },
    materiality: changes.length > 0 ? "material" : "minor",
  };
}

/** The end of a turn that did not complete, according to the facts in the prompt. */
function endOf(turn) {
  const [, outcome] = new RegExp(`^- ${turn}: .*; ended (\\w+);`, "m").exec(prompt) ?? [];
  return { aborted: "interrupted", failed: "failed", open: "other" }[outcome];
}

function workItems() {
  return quoted
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ turn, trigger, outcomes, agent_reactions: did, terminal_state: end }) => {
      const common = {
        title: trigger.summary.slice(0, 120).replace(/\s\S*$/, (end) => (trigger.summary.length > 120 ? "" : end)),
        covered_turns: [turn],
        limits: [],
        confidence: "medium",
      };
      if (outcomes.length === 0) return { ...common, kind: "no_material_work_item" };
      return {
        ...common,
        kind: "material_work_item",
        trigger: { summary: trigger.summary, evidence_refs: [turn] },
        agent_reaction: { summary: did[0]?.summary ?? "The agent answered.", main_actions: [] },
        outcomes: outcomes.map(({ category, summary }) => ({
          category,
          summary,
          evidence_refs: [turn],
          confidence: "high",
        })),
        terminal_states: [{ type: end.type, summary: end.summary, evidence_refs: [turn] }],
      };
    });
}

function day() {
  const items = quoted.split("\n").map((line) => JSON.parse(line));
  const keys = [...new Set(items.map(({ project_key }) => project_key))];
  const first = items[0];
  return {
    title: { text: "A day of requests and answers", citations: [cite(first)] },
    projects: keys.map((project_key) => {
      const own = items.filter((item) => item.project_key === project_key);
      return { project_key, summary: { text: own[0].title, citations: [cite(own[0])] } };
    }),
    engagement_assessment: {
      overall_reading: { text: "The human asked in plain words.", citations: [cite(first)], confidence: "low" },
      observations: [
        {
          dimension: "direction",
          statement: "Requests name what is wanted.",
          citations: [cite(first)],
          confidence: "low",
        },
      ],
      limits: ["Written by rules, without understanding."],
    },
    team_learning: { takeaways: null, patterns: [], limits: [] },
  };
}

function week() {
  const items = quoted.split("\n").map((line) => JSON.parse(line));
  return {
    title: { text: "Days of requests and answers", citations: [citeDay(items[0])] },
    threads: items.slice(0, 8).map((item) => ({ text: item.title, citations: [citeDay(item)], confidence: "medium" })),
  };
}

/** The citation of a record; records of sub-agents carry the agent's name. */
function at({ line, agent }) {
  return [`${agent ? `${agent}:` : ""}${line}-${line}`];
}

function cite({ project_key, covered_turns: [turn] }) {
  return `${project_key}/${turn}`;
}

function citeDay(item) {
  return `${item.report_date}/${cite(item)}`;
}
