import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Pool } from "pg";
import { DaybookError } from "../../../base/errors.ts";
import { DOCS, TEAM_PAGE } from "../../../places.ts";
import { askerByLogin, askerByToken, type Asker } from "../../../team/ask/asker.ts";
import { Oidc, type OidcSettings } from "../../../team/oidc.ts";
import { SCHEMA_VERSION } from "../../../team/schema/migrations.ts";
import { openPool, unreachable } from "../../../team/store/connect.ts";
import { transaction } from "../../../team/store/transaction.ts";
import { isToken } from "../../../team/token.ts";
import { Zone } from "../../../base/time/zone.ts";
import { isLoopback, listen, type RunningServer } from "../listen.ts";
import { PageFiles } from "../page-files.ts";
import { buildTeamApp } from "./app.ts";

export interface TeamServeOptions {
  /** The database, with the server's own login. */
  store: string;
  port: number;
  host: string;
  /** The public address, behind a proxy that provides TLS; null if only this machine uses it. */
  publicUrl: string | null;
  oidc: OidcSettings | null;
  page: boolean;
  now: () => number;
  failed: (error: unknown) => void;
}

/** Database connections; each serves many people in turn. */
const CONNECTIONS = 20;
/** In ms: long enough to push a large session over a slow connection. */
const SLOWEST_REQUEST_MS = 300_000;

/** Serves a team until closed. */
export async function serveTeam(options: TeamServeOptions): Promise<RunningServer> {
  const { store, host, port, publicUrl, now, failed } = options;
  const address = publicUrl === null ? null : publicOf(publicUrl);
  if (!isLoopback(host) && address === null)
    throw new DaybookError(`${host} can be reached from other machines`, {
      code: "usage",
      op: "serve",
      hint: "give the https address of its TLS proxy with --public-url, or leave --host out",
    });
  const page = options.page ? new PageFiles(fileURLToPath(TEAM_PAGE), "/team.html") : null;
  if (page?.isBuilt === false)
    throw new DaybookError("the page is not built", { code: "internal", op: "serve", hint: "npm run build" });
  const pool = openPool(store, CONNECTIONS);
  try {
    const zone = await zoneOf(pool, store);
    const hosts = new Set<string>(address === null ? [] : [address.host]);
    const oidc = options.oidc === null ? null : new Oidc(options.oidc, now);
    const app = buildTeamApp({
      pool,
      zone,
      now,
      hosts,
      page,
      failed,
      recognise: (bearer) => recognise(pool, oidc, bearer, now()),
      document: () => readFileSync(new URL("team-openapi.json", DOCS), "utf8"),
    });
    const serving = await listen({ fetch: app.fetch, host, port, hosts, slowest: SLOWEST_REQUEST_MS });
    const close = async (): Promise<void> => {
      await serving.close();
      await pool.end();
    };
    return { url: address?.href ?? serving.url, close };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function recognise(pool: Pool, oidc: Oidc | null, bearer: string, now: number): Promise<Asker | null> {
  if (isToken(bearer)) return askerByToken(pool, bearer, now);
  const login = oidc === null ? null : await oidc.loginOf(bearer);
  return login === null ? null : askerByLogin(pool, login);
}

/** Also checks at startup, not at the first question, that the store exists and has this schema version. */
async function zoneOf(pool: Pool, store: string): Promise<Zone> {
  const found = await transaction(pool, { role: "daybook_auth", owner: null }, (sql) =>
    sql.query<{ zone: string; schema_version: number }>("SELECT zone, schema_version FROM daybook.stores"),
  ).catch((error: unknown) => {
    throw unreachable(store, error);
  });
  const [row] = found.rows;
  if (row?.schema_version !== SCHEMA_VERSION)
    throw new DaybookError(`the store has schema ${row?.schema_version ?? "none"}, this Daybook ${SCHEMA_VERSION}`, {
      code: "refused",
      op: "serve",
      hint: "`daybook team init --store URL` updates it",
    });
  return new Zone(row.zone);
}

/** Tokens are sent over it, so only https is allowed. */
function publicOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === "https:" && url.pathname === "/" && url.search === "" && url.hash === "") return url;
  throw new DaybookError(`--public-url takes an address like https://daybook.example.com, not ${text}`, {
    code: "usage",
    op: "serve",
  });
}
