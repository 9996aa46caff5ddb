// Compares what Daybook reads in a store with what was typed and served.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const daybook = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));

/** Everything Daybook says of a store that is compared. */
export function readStore(source, store) {
  const ask = (...words) =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [daybook, ...words, "--json", "--quiet", "--root", `${source}=${store}`, "-z", "UTC"],
        {
          env: { PATH: process.env.PATH, HOME: store },
          maxBuffer: 1 << 28,
          stdio: ["ignore", "pipe", "ignore"],
        },
      ).toString(),
    );
  const { balanced, totals } = ask("audit");
  return {
    turns: ask("turns").turns,
    tools: ask("tools").tools,
    sessions: ask("sessions").sessions,
    balanced,
    reasons: totals.records.reasons,
    drift: ask("doctor").sources.find((one) => one.source === source).drift,
  };
}

/** One row per aspect: how many of how many, and what differs. */
export function compare({ typed, served, loses }, { turns, tools, sessions, balanced }) {
  const byText = new Map(turns.map((turn) => [turn.trigger.text, turn]));
  const known = new Set(typed.map(({ text }) => text));
  const missed = typed.filter(({ text }) => !byText.has(text));
  const wrong = turns.filter(({ trigger }) => !known.has(trigger.text));
  const found = typed.flatMap((one) => (byText.has(one.text) ? [{ one, turn: byText.get(one.text) }] : []));
  return [
    row("prompts found", typed.length, missed, ({ scenario, text }) => `${scenario}: ${JSON.stringify(text)}`),
    row("no false prompts", turns.length, wrong, ({ trigger }) => JSON.stringify(trigger.text.slice(0, 120))),
    outcomes(found, loses),
    calls(typed, served, tools, loses),
    tokens(found, served, loses),
    lineage(found, sessions),
    row(
      "sessions without unknown records",
      sessions.length,
      sessions.filter(({ diagnostics }) => diagnostics.unknown_records > 0),
      ({ session_id, diagnostics }) => `${session_id}: ${diagnostics.unknown_records}`,
    ),
    row("balanced", 1, balanced ? [] : [null], () => "the audit says it is not"),
  ];
}

function row(aspect, of, differing, say) {
  return { aspect, of, right: of - differing.length, differences: differing.map(say) };
}

/** An agent that was stopped may say so or say nothing: only a turn that is called completed would be wrong. */
function outcomes(found, loses) {
  const wanted = ({ action, scenario }) =>
    loses[scenario]?.includes("outcome") ? "unfinished" : (action.outcome ?? "completed");
  const isRight = ({ one, turn }) =>
    wanted(one) === "unfinished" ? turn.outcome !== "completed" : turn.outcome === wanted(one);
  const say = ({ one, turn }) => `${one.scenario}: ${turn.outcome}, not ${wanted(one)}`;
  return row(
    "outcomes",
    found.length,
    found.filter((pair) => !isRight(pair)),
    say,
  );
}

/** Every marked call is found with the end that its command had. One that was killed with its agent has none. */
function calls(typed, served, tools, loses) {
  const inputs = tools.map(({ input, status }) => ({ text: JSON.stringify(input), status }));
  const byRun = new Map(typed.map((one) => [one.run, one]));
  const marked = new Map(
    served.flatMap(({ run, calls: all }) => all.map((call) => [call.mark, { ...call, one: byRun.get(run) }])),
  );
  const expected = [...marked.values()].filter(({ one }) => !loses[one?.scenario]?.includes("calls"));
  const differing = expected.flatMap(({ mark, ends, one }) => {
    const wanted = one?.action.ends ?? ends;
    const right = wanted === "unended" ? ["pending", "interrupted"] : [wanted];
    const statuses = new Set(inputs.filter(({ text }) => text.includes(mark)).map(({ status }) => status));
    if (statuses.size > 0 && [...statuses].every((status) => right.includes(status))) return [];
    return [`${one?.scenario}: ${[...statuses].join(" and ") || "not found"}, not ${wanted} (${mark})`];
  });
  return row("ends of tool calls", expected.length, differing, (text) => text);
}

/** Tokens of every prompt, with those of the sub-agents it started, are those that were served. */
function tokens(found, served, loses) {
  const stated = found.filter(({ one }) => !loses[one.scenario]?.includes("tokens"));
  const differing = stated.flatMap(({ one, turn }) => {
    const all = served.filter(({ run, isAside, usage }) => run === one.run && !isAside && usage);
    const sum = (key) => all.reduce((total, { usage }) => total + usage[key], 0);
    const { input_tokens, cached_input_tokens, output_tokens } = turn.usage_with_children;
    const [is, was] = [
      [input_tokens, cached_input_tokens, output_tokens],
      [sum("input"), sum("cached"), sum("output")],
    ];
    return is.every((number, i) => number === was[i])
      ? []
      : [`${one.scenario}: ${is.join(", ")}, served ${was.join(", ")}`];
  });
  return row("tokens of turns", stated.length, differing, (text) => text);
}

function lineage(found, sessions) {
  const forks = found.filter(({ one }) => one.action.how === "fork");
  const parents = found.filter(({ one }) => one.action.script.startsWith("delegates"));
  const differing = [
    ...forks.flatMap(({ one, turn }) => {
      const from = sessions.find(({ session_id }) => session_id === turn.session_id)?.forked_from;
      return from === one.before ? [] : [`fork of ${one.before}: ${from ?? "none"}`];
    }),
    ...parents.flatMap(({ turn }) => {
      const agents = turn.children.filter(({ relation }) => relation === "subagent");
      return agents.length === 1 ? [] : [`sub-agents: ${agents.length}, not 1`];
    }),
  ];
  return row("forks and sub-agents", forks.length + parents.length, differing, (text) => text);
}
