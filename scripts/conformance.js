#!/usr/bin/env node
// Runs real agents against a scripted model on this machine, lets Daybook read the stores they leave, and compares prompts,
// outcomes, ends of calls, tokens and lineage with what was typed and served: npm run conformance [-- AGENT …].
//
//   --latest           the newest releases instead of the pinned ones
//   --scenario NAME    only this one; repeatable
//   --into DIR         where the agents are installed; kept for the next run
//   --keep DIR         keeps the homes the agents wrote
//   --record           keeps the run in test/fixtures/conformance, where a test repeats the comparison
//
// The agents run with an empty home, a dummy key, without telemetry and updates, and reach only this machine. Needs a build.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DRIVEN } from "./conformance/agents.js";
import { compare, readStore } from "./conformance/compare.js";
import { drive } from "./conformance/drive.js";
import { record, recorded } from "./conformance/recorded.js";
import { fetchAgents } from "./real-agents.js";

const { values: flags, positionals } = parseArgs({
  options: {
    latest: { type: "boolean", default: false },
    scenario: { type: "string", multiple: true, default: [] },
    into: { type: "string" },
    keep: { type: "string" },
    record: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : Object.keys(DRIVEN);
const strange = names.filter((name) => !(name in DRIVEN));
if (strange.length > 0)
  throw new Error(`not driven: ${strange.join(", ")}; known are ${Object.keys(DRIVEN).join(", ")}`);

let differing = 0;
const versions = fetchAgents({ latest: flags.latest });
for (const name of names) differing += await tryAgent(name, DRIVEN[name]);
process.exitCode = differing === 0 ? 0 : 1;

async function tryAgent(name, agent) {
  const home = flags.keep ? resolve(flags.keep, name) : mkdtempSync(join(tmpdir(), "daybook-conformance-"));
  mkdirSync(home, { recursive: true });
  try {
    const driven = await drive(agent, home, flags.scenario, (scenario) =>
      process.stderr.write(`${name}: ${scenario}\n`),
    );
    const read = readStore(name, driven.store);
    const rows = compare(driven, read);
    console.log(`\n${name} ${versions[name]}`);
    for (const { aspect, of, right, differences } of rows) {
      console.log(`  ${differences.length === 0 ? "ok" : "DIFFERS"}  ${aspect}: ${right} of ${of}`);
      for (const difference of differences) console.log(`      ${difference}`);
    }
    if (driven.cannot.length > 0) console.log(`  not done by this agent: ${driven.cannot.join(", ")}`);
    for (const line of driftOf(read, recorded(name))) console.log(`  ${line}`);
    if (flags.record) record(name, versions[name], home, driven, read.reasons);
    return rows.filter(({ differences }) => differences.length > 0).length;
  } finally {
    if (!flags.keep) rmSync(home, { recursive: true, force: true });
  }
}

/** What this release writes otherwise than the one whose run is kept: nothing of it is wrong by itself. */
function driftOf({ reasons, drift }, kept) {
  const strange = [
    ...Object.entries(drift.unknownTypes).map(([type, count]) => `new type ${type}: ${count} records`),
    ...Object.entries(drift.unknownFields).map(([field, count]) => `new field ${field}: ${count} records`),
  ];
  if (kept === null || flags.scenario.length > 0) return strange;
  const all = [...new Set([...Object.keys(kept.reasons), ...Object.keys(reasons)])].toSorted();
  const changed = all.flatMap((reason) => {
    const [before, now] = [kept.reasons[reason] ?? 0, reasons[reason] ?? 0];
    return before === now ? [] : [`${reason}: ${now} records, ${before} in ${kept.version}`];
  });
  return [...strange, ...changed];
}
