/** Cost of retention on a filled store: of the command as cron would run it, and of the database itself. */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

const DAY = 86_400_000;
/** The last day of the synthetic developers. */
const LAST = Date.UTC(2026, 4, 12);
/** How many of their 90 days are kept. */
const KEEP_DAYS = { texts: 15, calls: 30, turns: 60 };

/**
 * @param {import("pg").Client} client
 * @param {string} url
 * @param {string} program
 * @param {number} postgres its process
 */
export async function retention(client, url, program, postgres) {
  const since = Math.floor((Date.now() - LAST) / DAY);
  const ages = Object.entries(KEEP_DAYS).flatMap(([name, days]) => [`--${name}`, `${since + days}d`]);
  const run = (/** @type {string[]} */ ...words) => {
    const [began, cpu] = [performance.now(), cpuOf(postgres)];
    const out = execFileSync(process.execPath, [program, "team", "retention", ...words, "--store", url, "--json"], {
      encoding: "utf8",
    });
    const { removed, people, sessions } = JSON.parse(out);
    const rows = Object.values(removed).reduce((sum, one) => sum + one.rows, 0);
    return { people, sessions, rows, removed, seconds: (performance.now() - began) / 1000, cpu: cpuOf(postgres) - cpu };
  };
  const before = await bytesOf(client);
  const sums = await daysOf(client);
  const plan = run(...ages, "--dry-run");
  const made = run(...ages, "--yes");
  const again = run("--yes");
  if ((await daysOf(client)) !== sums) throw new Error("sums of days changed");
  await client.query("SELECT pg_stat_force_next_flush()");
  const dead = await client.query(
    "SELECT coalesce(sum(n_dead_tup), 0)::int8 AS n FROM pg_stat_user_tables WHERE schemaname = 'daybook'",
  );
  const [began, cpu] = [performance.now(), cpuOf(postgres)];
  await client.query("VACUUM ANALYZE");
  const vacuum = { seconds: (performance.now() - began) / 1000, cpu: cpuOf(postgres) - cpu };
  return {
    plan,
    made,
    again,
    dead: Number(dead.rows[0].n),
    vacuum,
    bytes: [before, await bytesOf(client)],
    /** Size after a full rewrite of the tables: the rest is free space that new rows fill. */
    free: await packedBytes(client),
  };
}

async function daysOf(/** @type {import("pg").Client} */ client) {
  const { rows } = await client.query(
    "SELECT md5(string_agg(u::text, ' ' ORDER BY u)) AS sums FROM daybook.usage_days u",
  );
  return rows[0].sums;
}

async function bytesOf(/** @type {import("pg").Client} */ client) {
  const { rows } = await client.query("SELECT pg_database_size(current_database())::int8 AS bytes");
  return Number(rows[0].bytes);
}

/** Total size after all tables were rewritten, without free space. */
async function packedBytes(/** @type {import("pg").Client} */ client) {
  await client.query("VACUUM FULL");
  return bytesOf(client);
}

/** CPU seconds of a process and its children; a finished child is included in its parent's count. */
function cpuOf(/** @type {number} */ pid) {
  const own = statOf(pid);
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter(({ parent }) => parent === pid);
  return [...(own ? [own.all] : []), ...children.map(({ own: seconds }) => seconds)].reduce((a, b) => a + b, 0);
}

/** @param {number} pid */
function statOf(pid) {
  try {
    // Skip the process name, which may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
      .map(Number);
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
    return { parent: fields[1], own: (utime + stime) / 100, all: (utime + stime + cutime + cstime) / 100 };
  } catch {
    return null;
  }
}
