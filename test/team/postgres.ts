import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll } from "vitest";
import { migrate, type NewStore } from "../../src/team/schema/migrate.ts";

const ROOT = "/usr/lib/postgresql";
/** Where Debian puts the newest one; null where there is none. */
const BIN = newest();
/** Why tests of the team store are left out here. */
export const NO_POSTGRES: string | null =
  BIN === null ? "there is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql" : null;
if (NO_POSTGRES !== null) process.stderr.write(`tests of the team store are left out: ${NO_POSTGRES}\n`);

export interface Cluster {
  /** Of whoever administers it, for a database by its name. */
  url: (database: string, user?: string) => string;
  /** Where its socket is, for programs of its own. */
  dir: string;
  stop(): Promise<void>;
}

let running: Promise<Cluster> | null = null;

/** One cluster for a test file, on a socket of its own, gone after it. */
export function cluster(): Promise<Cluster> {
  return (running ??= startCluster());
}

afterAll(async () => {
  await (await running)?.stop();
});

async function startCluster(): Promise<Cluster> {
  if (BIN === null) throw new Error(NO_POSTGRES ?? "");
  const dir = mkdtempSync(join(tmpdir(), "daybook-pg-"));
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? idOf("postgres") : null;
  if (user) {
    // What tests put aside is nobody else's to list; this one passes through.
    if ((statSync(tmpdir()).mode & 0o011) === 0) chmodSync(tmpdir(), 0o711);
    chownSync(dir, user.uid, user.gid);
  }
  const how = { cwd: dir, ...user };
  const data = join(dir, "data");
  const made = spawnSync(
    join(BIN, "initdb"),
    ["-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...how, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const given = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };
  const flags = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  const server = spawn(
    join(BIN, "postgres"),
    ["-D", data, "-k", dir, "-c", "listen_addresses=", ...flags.flatMap((flag) => ["-c", flag])],
    { ...how, stdio: ["ignore", "ignore", "pipe"] },
  );
  const end = (): void => void server.kill("SIGINT");
  process.once("exit", end);
  let said = "";
  server.stderr.on("data", (text: Buffer) => void (said = (said + text.toString()).slice(-4000)));
  const url = (database: string, user = "admin"): string =>
    `postgres://${user}@/${database}?host=${encodeURIComponent(dir)}`;
  await answering(server, url("postgres"), () => said);
  return {
    url,
    dir,
    async stop() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      // Whoever is still connected is not waited for.
      end();
      await ended;
      process.off("exit", end);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function answering(server: ChildProcess, url: string, said: () => string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said()}`);
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await delay(50);
    }
  }
}

export interface TeamStore {
  /** As whoever administers it. */
  url: string;
  /** As the server does. */
  apiUrl: string;
}

let stores = 0;

/** A new store in the cluster of this test file. */
export async function teamStore(wanted: Partial<NewStore> = {}): Promise<TeamStore> {
  const { url } = await cluster();
  const name = `store_${(stores += 1)}`;
  await withClient(url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
  await withClient(url(name), (client) =>
    migrate(client, {
      zone: "UTC",
      partitions: 0,
      smallestGroup: 3,
      personsShown: false,
      now: Date.UTC(2026, 4, 1),
      ...wanted,
    }),
  );
  return { url: url(name), apiUrl: url(name, "daybook_api") };
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function newest(): string | null {
  if (!existsSync(ROOT)) return null;
  const versions = readdirSync(ROOT)
    .filter((name) => existsSync(join(ROOT, name, "bin/initdb")))
    .toSorted((a, b) => Number(b) - Number(a));
  return versions[0] === undefined ? null : join(ROOT, versions[0], "bin");
}

function idOf(name: string): { uid: number; gid: number } {
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout));
  return { uid: uid ?? 0, gid: gid ?? 0 };
}
