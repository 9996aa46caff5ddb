import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { ALL_TESTS, CLUSTER_PREFIX } from "../global-setup.ts";
import { StoreAdmin } from "../../src/team/admin.ts";
import { migrate, type NewStore } from "../../src/team/schema/migrate.ts";

const ROOT = "/usr/lib/postgresql";
/** Names the programs of a PostgreSQL with Citus: the same tests then run on a cluster of a coordinator and two workers. */
const CITUS_BIN = process.env["DAYBOOK_CITUS_BIN"] ?? null;
/** Programs of the newest version that is installed the way Debian does; null if there is none. */
const BIN = CITUS_BIN ?? newest();
/** Why tests of a Citus cluster are skipped; null if they are not. */
export const NO_CITUS: string | null =
  CITUS_BIN === null ? "DAYBOOK_CITUS_BIN does not name the programs of a PostgreSQL with Citus" : null;
/** Why tests of the team store are skipped on this machine; null if they are not. */
export const NO_POSTGRES: string | null =
  BIN === null ? "there is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql" : null;
if (NO_POSTGRES !== null) process.stderr.write(`tests of the team store are skipped: ${NO_POSTGRES}\n`);

export interface Cluster {
  /** The address of a database, for the administrator unless a user is named. */
  url: (database: string, user?: string) => string;
  /** The directory of its socket, where tests may put files of other programs. */
  dir: string;
  /** Further nodes, on Citus. */
  workers: Worker[];
  /** For `citus_set_coordinator_host`. */
  port: number;
}

/** A node of a Citus cluster beside the coordinator. */
export interface Worker {
  port: number;
  url: (database: string) => string;
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

let running: Promise<Cluster> | null = null;

/** One cluster per process, on its own socket. `global-setup.ts` stops it after the last test. */
export function cluster(): Promise<Cluster> {
  return (running ??= startCluster());
}

const WORKERS = 2;

async function startCluster(): Promise<Cluster> {
  const first = await newNode();
  if (CITUS_BIN === null) return { ...first, workers: [] };
  const workers: Worker[] = [];
  for (let i = 0; i < WORKERS; i++) workers.push(await newNode());
  return { ...first, workers };
}

/** Another node, which no database knows yet. */
export async function newNode(): Promise<Worker & Pick<Cluster, "url" | "dir">> {
  if (BIN === null) throw new Error(NO_POSTGRES ?? "");
  // Not in the temporary directory of this test file, which is removed after it: the cluster serves several.
  const dir = mkdtempSync(join(process.env[ALL_TESTS] ?? tmpdir(), CLUSTER_PREFIX));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? idOf("postgres") : null;
  if (user) chownSync(dir, user.uid, user.gid);
  // Nodes connect to each other, and would look for certificates in the home of whoever runs the tests.
  const spawnOptions = { cwd: dir, env: { ...process.env, HOME: dir }, ...user };
  const data = join(dir, "data");
  const initialised = spawnSync(
    join(BIN, "initdb"),
    ["-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...spawnOptions, encoding: "utf8" },
  );
  if (initialised.status !== 0) throw new Error(`initdb: ${initialised.stderr}`);
  const port = CITUS_BIN === null ? 5432 : await freePort();
  // Autovacuum would use transaction ids, and tests compare these to find out whether something was written.
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: "200",
    autovacuum: "off",
    port: String(port),
    ...(CITUS_BIN === null
      ? { listen_addresses: "" }
      : {
          listen_addresses: LOOPBACK,
          shared_preload_libraries: "citus",
          wal_level: "logical",
          "citus.shard_count": "8",
        }),
  };
  const flags = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const url = (database: string, name = "admin"): string =>
    `postgres://${name}@/${database}?host=${encodeURIComponent(dir)}&port=${port}`;
  const bin = BIN;
  let server: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const started = spawn(join(bin, "postgres"), ["-D", data, "-k", dir, ...flags.flatMap((flag) => ["-c", flag])], {
      ...spawnOptions,
      stdio: ["ignore", "ignore", "pipe"],
    });
    server = started;
    // The server must not keep this process alive, nor outlive it where nobody stops it.
    started.unref();
    let log = "";
    started.stderr.on("data", (text: Buffer) => void (log = (log + text.toString()).slice(-4000)));
    await waitForServer(started, url("postgres"), () => log);
  };
  process.once("exit", () => void server?.kill("SIGINT"));
  await start();
  const stop = async (): Promise<void> => {
    server?.ref();
    const ended = new Promise((resolve) => server?.once("exit", resolve));
    server?.kill("SIGINT");
    await ended;
  };
  return { url, dir, port, start, stop };
}

const LOOPBACK = "127.0.0.1";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A database that is a node of a cluster, with its namesakes on the workers; on plain PostgreSQL just a database. */
export async function createDatabase(name: string): Promise<string> {
  const { url, port, workers } = await cluster();
  const nodes = [{ url, port }, ...workers];
  for (const node of nodes) await withClient(node.url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
  if (CITUS_BIN === null) return url(name);
  for (const node of nodes)
    await withClient(node.url(name), (client) => client.query("CREATE EXTENSION IF NOT EXISTS citus"));
  await withClient(url(name), async (client) => {
    await client.query("SELECT citus_set_coordinator_host($1, $2)", [LOOPBACK, port]);
    for (const worker of workers) await addNode(client, worker);
  });
  return url(name);
}

export async function addNode(client: Client, { port }: Pick<Worker, "port">): Promise<void> {
  await client.query("SELECT citus_add_node($1, $2)", [LOOPBACK, port]);
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

/** A new store in the cluster of this process. On Citus it is distributed; `isApart`: it is in one database even there. */
export async function teamStore(wanted: Partial<NewStore> = {}, isApart = false): Promise<TeamStore> {
  const { url } = await cluster();
  const name = `store_${(stores += 1)}`;
  // Nodes share no templates; and a store with partitions is not distributed.
  if (CITUS_BIN !== null && !isApart && (wanted.partitions ?? 0) === 0) {
    await makeStore(await createDatabase(name), wanted);
    await new StoreAdmin(url(name), 0).distribute();
    return { url: url(name), apiUrl: url(name, "daybook_api") };
  }
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
  await makeStore(url(name), wanted);
  return name;
}

async function makeStore(url: string, wanted: Partial<NewStore>): Promise<void> {
  await withClient(url, (client) =>
    migrate(client, {
      zone: "UTC",
      partitions: 0,
      smallestGroup: 3,
      personsShown: false,
      now: Date.UTC(2026, 4, 1),
      ...wanted,
    }),
  );
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
