/**
 * Starts a PostgreSQL from Debian's package on its own socket, with default settings except for buffer, WAL and
 * checkpoint sizes.
 */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";

const ROOT = "/usr/lib/postgresql";

/**
 * @returns {Promise<{ url: (database: string, user?: string) => string, version: string, pid: number, stop: () =>
 * Promise<void> }>}
 */
export async function startPostgres() {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).toSorted((a, b) => Number(b) - Number(a)) : [];
  if (versions.length === 0) throw new Error(`no PostgreSQL in ${ROOT}: apt-get install postgresql`);
  const bin = join(ROOT, versions[0], "bin");
  const dir = mkdtempSync(join(tmpdir(), "daybook-pg-"));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: id("-u"), gid: id("-g") } : {};
  if ("uid" in user) chownSync(dir, user.uid, user.gid);
  const data = join(dir, "data");
  const flags = ["-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C"];
  const made = spawnSync(join(bin, "initdb"), ["-D", data, ...flags], { cwd: dir, ...user, encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  const settings = ["listen_addresses=", "shared_buffers=1GB", "max_wal_size=4GB", "checkpoint_timeout=15min"];
  const server = spawn(join(bin, "postgres"), ["-D", data, "-k", dir, ...settings.flatMap((one) => ["-c", one])], {
    cwd: dir,
    ...user,
    stdio: "ignore",
  });
  const end = () => void server.kill("SIGINT");
  process.once("exit", end);
  const url = (/** @type {string} */ database, name = "admin") =>
    `postgres://${name}@/${database}?host=${encodeURIComponent(dir)}`;
  for (;;) {
    if (server.exitCode !== null) throw new Error("PostgreSQL did not start");
    try {
      await ask(url("postgres"), (client) => client.query("SELECT 1"));
      break;
    } catch {
      await delay(100);
    }
  }
  return {
    url,
    version: versions[0],
    pid: server.pid ?? 0,
    stop: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      end();
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @param {string} flag */
function id(flag) {
  return Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
}

/**
 * @template T
 * @param {string} url
 * @param {(client: Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function ask(url, work) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
