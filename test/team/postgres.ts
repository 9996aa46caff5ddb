import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { ALL_TESTS, CLUSTER_PREFIX } from "../global-setup.ts";
import { migrate, type NewStore } from "../../src/team/schema/migrate.ts";

const ROOT = "/usr/lib/postgresql";
/** Programs of the newest version that is installed the way Debian does; null if there is none. */
const BIN = newest();
/** Why tests of the team store are skipped on this machine; null if they are not. */
export const NO_POSTGRES: string | null =
  BIN === null ? "there is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql" : null;
if (NO_POSTGRES !== null) process.stderr.write(`tests of the team store are skipped: ${NO_POSTGRES}\n`);

export interface Cluster {
  /** The address of a database, for the administrator unless a user is named. */
  url: (database: string, user?: string) => string;
  /** The directory of its socket, where tests may put files of other programs. */
  dir: string;
}

let running: Promise<Cluster> | null = null;

/** One cluster per process, on its own socket. `global-setup.ts` stops it after the last test. */
export function cluster(): Promise<Cluster> {
  return (running ??= startCluster());
}

async function startCluster(): Promise<Cluster> {
  if (BIN === null) throw new Error(NO_POSTGRES ?? "");
  // Not in the temporary directory of this test file, which is removed after it: the cluster serves several.
  const dir = mkdtempSync(join(process.env[ALL_TESTS] ?? tmpdir(), CLUSTER_PREFIX));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? idOf("postgres") : null;
  if (user) chownSync(dir, user.uid, user.gid);
  const spawnOptions = { cwd: dir, ...user };
  const data = join(dir, "data");
  const initialised = spawnSync(
    join(BIN, "initdb"),
    ["-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...spawnOptions, encoding: "utf8" },
  );
  if (initialised.status !== 0) throw new Error(`initdb: ${initialised.stderr}`);
  // Autovacuum would use transaction ids, and tests compare these to find out whether something was written.
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: "200",
    autovacuum: "off",
  };
  const flags = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const server = spawn(
    join(BIN, "postgres"),
    ["-D", data, "-k", dir, "-c", "listen_addresses=", ...flags.flatMap((flag) => ["-c", flag])],
    { ...spawnOptions, stdio: ["ignore", "ignore", "pipe"] },
  );
  // The server must not keep this process alive, nor outlive it where nobody stops it.
  server.unref();
  process.once("exit", () => void server.kill("SIGINT"));
  let log = "";
  server.stderr.on("data", (text: Buffer) => void (log = (log + text.toString()).slice(-4000)));
  const url = (database: string, user = "admin"): string =>
    `postgres://${user}@/${database}?host=${encodeURIComponent(dir)}`;
  await waitForServer(server, url("postgres"), () => log);
  return { url, dir };
}

async function waitForServer(server: ChildProcess, url: string, log: () => string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log()}`);
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
  /** For the administrator. */
  url: string;
  /** For the team server's login. */
  apiUrl: string;
}

let stores = 0;
/** Names of empty stores by what was wanted. Copying one takes a fraction of the time of making one. */
const templates = new Map<string, Promise<string>>();

/** A new store in the cluster of this process. */
export async function teamStore(wanted: Partial<NewStore> = {}): Promise<TeamStore> {
  const { url } = await cluster();
  const name = `store_${(stores += 1)}`;
  const kind = JSON.stringify(wanted);
  const template = templates.get(kind) ?? emptyStore(url, `empty_${templates.size + 1}`, wanted);
  templates.set(kind, template);
  const empty = await template;
  await withClient(url("postgres"), (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${empty}`));
  // Machines remember by this id what they pushed to a store.
  await withClient(url(name), (client) => client.query("UPDATE daybook.stores SET store_id = gen_random_uuid()"));
  return { url: url(name), apiUrl: url(name, "daybook_api") };
}

async function emptyStore(url: Cluster["url"], name: string, wanted: Partial<NewStore>): Promise<string> {
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
  return name;
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
