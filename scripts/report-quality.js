#!/usr/bin/env node
// Compares day reports with the known truth about ten days of a developer: `npm run report-quality [-- directory]
// [--lines]`. Measures results named, items grouped and stand-up lines covered. The comparison is by
// words, so a result described in other words counts as missed.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Daybook } from "../dist/index.js";

const given = process.argv.slice(2).find((word) => !word.startsWith("--"));
const dir = given ? resolve(given) : fileURLToPath(new URL("../test/fixtures/month", import.meta.url));
const wantsLines = process.argv.includes("--lines");
const truth = JSON.parse(readFileSync(join(dir, "TRUTH.json"), "utf8"));
const daybook = new Daybook({
  roots: { "claude-code": [join(dir, "claude")], codex: [join(dir, "codex")] },
  timezone: truth.timezone ?? "Europe/Berlin",
  env: {},
  home: "/nowhere",
});

const COMMON = new Set(
  "the a an and or of to in is are was were be it its on for with at by from that this as not no now has have had only still one all after before der die das und ist sind auf von mit nicht noch für".split(
    " ",
  ),
);
/**
 * Words cut to their first five letters, so that `flushed` equals `flush`; scripts without spaces as pairs of
 * characters.
 */
function words(text) {
  const found = new Set();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word))
      for (let i = 0; i + 1 < word.length; i++) found.add(word.slice(i, i + 2));
    else if (!COMMON.has(word)) found.add(word.slice(0, 5));
  }
  return found;
}
/** The share of the wanted words that occur in what was said. */
function share(said, wanted) {
  const [a, b] = [words(said), words(wanted)];
  return b.size === 0 ? 1 : [...b].filter((word) => a.has(word)).length / b.size;
}
const percent = (part, whole) => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`);

const sum = {
  turns: 0,
  named: 0,
  both: 0,
  truePairs: 0,
  ourPairs: 0,
  standup: 0,
  reported: 0,
  items: 0,
  itemsNamed: 0,
};
const perDay = [];
for (const [day, wanted] of Object.entries(truth.days).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const report = await daybook.report({ date: day });
  const turns = new Map();
  for (const project of report.projects) {
    for (const turn of project.turns)
      turns.set(`${turn.session_id}/${turn.turn_ref}`, {
        turn,
        project,
        item: `${project.project} ${project.items.findIndex((item) => item.turns.includes(turn.citation))}`,
      });
  }
  const today = { day, turns: 0, named: 0 };
  const known = [];
  const byGoal = new Map();
  for (const session of truth.sessions) {
    for (const one of session.turns) {
      if (one.day !== day) continue;
      const found = turns.get(`${session.session}/${one.turn}`);
      if (!found) continue;
      known.push({ goal: session.automated ? `${one.goal} ${session.session}` : one.goal, item: found.item });
      const goal = byGoal.get(one.goal) ?? byGoal.set(one.goal, { results: [], items: new Set() }).get(one.goal);
      goal.results.push(one.result);
      goal.items.add(found);
      today.turns++;
      const said = [
        found.turn.result?.text,
        found.turn.commits.length > 0 ? "committed" : "",
        ...found.turn.commits.map(({ subject }) => subject),
      ].join(" ");
      const isNamed = found.turn.result !== null && share(`${said} ${found.turn.trigger.text}`, one.result) >= 0.5;
      if (isNamed) today.named++;
      if (wantsLines)
        console.log(
          `${isNamed ? "  " : "! "}${one.text.slice(0, 60).replace(/\s+/g, " ")}\n      true: ${one.result}\n      ours: ${found.turn.result?.text ?? "–"}`,
        );
    }
  }
  for (let i = 0; i < known.length; i++) {
    for (let j = i + 1; j < known.length; j++) {
      const same = known[i].goal === known[j].goal;
      const ours = known[i].item === known[j].item;
      sum.truePairs += Number(same);
      sum.ourPairs += Number(ours);
      sum.both += Number(same && ours);
      if (wantsLines && same !== ours)
        console.log(`? grouped otherwise: ${known[i].goal} ${known[j].goal} (${known[i].item}, ${known[j].item})`);
    }
  }
  const summary = report.projects.flatMap((project) =>
    project.items.map((item) => `${item.asked} ${item.results.map(({ text }) => text).join(" ")}`),
  );
  for (const line of wanted.standup) {
    sum.standup++;
    const best = Math.max(0, ...summary.map((one) => share(one, line)));
    if (best >= 0.34) sum.reported++;
    else if (wantsLines) console.log(`- stand-up line not told: ${line}`);
  }
  sum.turns += today.turns;
  sum.named += today.named;
  perDay.push(today);
}
daybook.close?.();
console.log("day         turns  results named");
for (const { day, turns, named } of perDay)
  console.log(`${day}  ${String(turns).padStart(5)}  ${String(named).padStart(13)}`);
console.log(`results named     ${sum.named} of ${sum.turns} (${percent(sum.named, sum.turns)})`);
console.log(
  `items grouped     ${percent(sum.both, sum.ourPairs)} of our pairs true, ${percent(sum.both, sum.truePairs)} of the true ones found`,
);
console.log(
  `stand-up lines    ${sum.reported} of ${sum.standup} told by an item (${percent(sum.reported, sum.standup)})`,
);
