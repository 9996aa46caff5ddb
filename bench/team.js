/**
 * Measures a team's store and server with synthetic developers in a local PostgreSQL (Debian's package).
 *
 *   npm run bench:team -- [--developers 10,100,1000] [--partitions 0] [--reps 40]
 *
 * For each number of developers (1,000 turns each): insert speed, bytes per row and turn, response times of the server
 * for each request of its page by role, over HTTP, and the cost of removing old rows. The result is printed and written
 * to .bench/team.json.
 */
import { spawn, execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ask, startPostgres } from "./lib/postgres.js";
import { retention } from "./lib/team-retention.js";
import { fill } from "./lib/team-rows.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = `${root}bin/daybook.js`;
const { values } = parseArgs({
  options: {
    developers: { type: "string", default: "10,100,1000" },
    partitions: { type: "string", default: "0" },
    reps: { type: "string", default: "40" },
  },
});
const reps = Number(values.reps);
const postgres = await startPostgres();
const results = [];
try {
  for (const developers of values.developers.split(",").map(Number)) results.push(await measure(developers));
} finally {
  await postgres.stop();
}
mkdirSync(`${root}.bench`, { recursive: true });
writeFileSync(
  `${root}.bench/team.json`,
  `${JSON.stringify({ postgres: postgres.version, partitions: Number(values.partitions), results }, null, 2)}\n`,
);

/** @param {number} developers */
async function measure(developers) {
  const name = `team_${developers}`;
  await ask(postgres.url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
  const url = postgres.url(name);
  const daybook = (/** @type {string[]} */ ...words) =>
    execFileSync(process.execPath, [program, "team", ...words, "--store", url, "--json"], { encoding: "utf8" });
  daybook("init", "--partitions", values.partitions, "--timezone", "UTC");
  const { loaded, sizes } = await ask(url, async (client) => ({
    loaded: await fill(client, developers),
    sizes: await sizesOf(client),
  }));
  const turns = loaded.turns?.rows ?? 0;
  console.log(`\n${developers} developers, ${turns} turns`);
  for (const [table, { rows, seconds }] of Object.entries(loaded)) {
    const bytes = sizes.get(table) ?? 0;
    console.log(
      `  ${table.padEnd(16)} ${String(rows).padStart(8)} rows ${String(Math.round(rows / seconds)).padStart(7)}/s ${String(Math.round(bytes / rows)).padStart(5)} B a row ${String(Math.round(bytes / turns)).padStart(5)} B a turn`,
    );
  }
  const token = (/** @type {string[]} */ ...words) =>
    JSON.parse(daybook("invite", ...words, "--scope", "read")).invited.token;
  const tokens = {
    developer: token("dev00002", "--team", "team0000"),
    lead: token("dev00001", "--team", "team0000", "--role", "lead"),
    auditor: token("kim", "--role", "auditor"),
  };
  const times = await questions(postgres.url(name, "daybook_api"), tokens);
  for (const { role, question, p50, p95 } of times)
    console.log(
      `  ${role.padEnd(10)} ${question.padEnd(28)} p50 ${p50.toFixed(1).padStart(7)} ms  p95 ${p95.toFixed(1).padStart(7)} ms`,
    );
  const kept = await ask(url, (client) => retention(client, url, program, postgres.pid));
  for (const [what, { rows, seconds, cpu }] of Object.entries({
    said: kept.plan,
    removed: kept.made,
    again: kept.again,
  }))
    console.log(
      `  retention, ${what.padEnd(8)} ${String(rows).padStart(9)} rows ${seconds.toFixed(1).padStart(7)} s ${cpu.toFixed(1).padStart(7)} s of the database's CPU ${String(Math.round(rows / seconds)).padStart(8)}/s`,
    );
  const [before, after] = kept.bytes.map((bytes) => Math.round(bytes / 1e6));
  console.log(
    `  dead rows ${kept.dead}, vacuum ${kept.vacuum.seconds.toFixed(1)} s (CPU ${kept.vacuum.cpu.toFixed(1)} s), ${before} MB before, ${after} after, ${Math.round(kept.free / 1e6)} packed`,
  );
  return { developers, turns, loaded, bytes: Object.fromEntries(sizes), times, retention: kept };
}

/** Heap and indexes, partitions included. */
async function sizesOf(/** @type {import("pg").Client} */ client) {
  const { rows } = await client.query(`
    SELECT t.relname AS name, coalesce((SELECT sum(pg_total_relation_size(i.inhrelid)) FROM pg_inherits i WHERE i.inhparent = t.oid), pg_total_relation_size(t.oid))::text AS bytes
    FROM pg_class t JOIN pg_namespace s ON s.oid = t.relnamespace
    WHERE s.nspname = 'daybook' AND t.relkind IN ('r', 'p') AND NOT t.relispartition`);
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** Response times of the requests that the page makes, by role. */
async function questions(/** @type {string} */ store, /** @type {Record<string, string>} */ tokens) {
  const server = spawn(process.execPath, [program, "serve", "--team", "--store", store, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await new Promise((resolve) =>
      server.stdout.on("data", (text) => {
        const [found] = /http:\S+/.exec(String(text)) ?? [];
        if (found) resolve(found);
      }),
    );
    const me = await (await fetch(`${url}api/team/me`, { headers: bearer(tokens.lead) })).json();
    const views = { developer: "own", lead: me.teams[0].team_id, auditor: "all" };
    const times = [];
    for (const [role, view] of Object.entries(views)) {
      for (const span of ["since=2026-04-15&until=2026-05-12", "since=2026-02-12&until=2026-05-12"]) {
        const days = span.startsWith("since=2026-04") ? 28 : 90;
        const asked = ["total", "day", "project", "model", "source", "person"].map((by) => [
          `by ${by}`,
          `usage?by=${by}`,
        ]);
        asked.push(["failures", "failures?"]);
        if (role !== "lead")
          asked.push(["turns", role === "auditor" ? "turns?person=dev00005&limit=100" : "turns?limit=100"]);
        for (const [question, path] of asked) {
          const address = `${url}api/team/${path}&view=${view}&${span}`;
          times.push({ role, question: `${question}, ${days} days`, ...(await timed(address, bearer(tokens[role]))) });
        }
      }
    }
    return times;
  } finally {
    server.kill("SIGTERM");
  }
}

function bearer(/** @type {string | undefined} */ token) {
  return { authorization: `Bearer ${token}` };
}

async function timed(/** @type {string} */ address, /** @type {Record<string, string>} */ headers) {
  const taken = [];
  for (let i = 0; i < reps; i++) {
    const began = performance.now();
    const response = await fetch(address, { headers });
    await response.text();
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    taken.push(performance.now() - began);
  }
  taken.sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => taken[Math.min(taken.length - 1, Math.floor(taken.length * part))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}
