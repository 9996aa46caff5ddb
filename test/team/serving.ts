import { Zone } from "../../src/base/time/zone.ts";
import { StoreAdmin, type Invitation } from "../../src/team/admin.ts";
import { askerByLogin, askerByToken } from "../../src/team/ask/asker.ts";
import { openPool } from "../../src/team/store/connect.ts";
import { isToken } from "../../src/team/token.ts";
import { buildTeamApp } from "../../src/doors/http/team/app.ts";
import type { Oidc } from "../../src/team/oidc.ts";
import { afterAll } from "vitest";
import { withClient, type TeamStore } from "./postgres.ts";

export const HOST = "daybook.example";
export const NOW: number = Date.UTC(2026, 4, 12, 10);

export type Asking = (path: string, token?: string | null, init?: RequestInit) => Promise<Response>;

export interface TeamServing {
  ask: Asking;
  /** Invites a person and returns their new token and their owner id. */
  invite: (login: string, more?: Partial<Invitation>) => Promise<{ token: string; token_id: string; owner: string }>;
  admin: StoreAdmin;
  /** Errors that the server reported, none of which may appear in its answers. */
  failures: unknown[];
  /** The server's clock; tests set it. */
  clock: { now: number };
}

/** A team server over a store, called without a socket. */
export function teamServing({ url, apiUrl }: TeamStore, oidc: Oidc | null = null): TeamServing {
  const pool = openPool(apiUrl, 10);
  afterAll(() => pool.end());
  const failures: unknown[] = [];
  const clock = { now: NOW };
  const app = buildTeamApp({
    pool,
    zone: new Zone("UTC"),
    now: () => clock.now,
    hosts: new Set([HOST]),
    page: null,
    document: () => "{}",
    recognise: async (bearer) => {
      if (isToken(bearer)) return askerByToken(pool, bearer, clock.now);
      const login = (await oidc?.loginOf(bearer)) ?? null;
      return login === null ? null : askerByLogin(pool, login);
    },
    failed: (error) => void failures.push(error),
  });
  const admin = new StoreAdmin(url, NOW);
  return {
    admin,
    failures,
    clock,
    ask: async (path, token = null, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("host")) headers.set("host", HOST);
      if (token !== null) headers.set("authorization", `Bearer ${token}`);
      return app.request(`https://${HOST}${path}`, { ...init, headers });
    },
    async invite(login, more = {}) {
      const invited = await admin.invite({
        login,
        role: "member",
        team: "backend",
        scope: "read",
        label: "",
        expires: null,
        ...more,
      });
      const found = await withClient(url, (client) =>
        client.query<{ owner_id: string }>("SELECT owner_id FROM daybook.owners WHERE login = $1", [login]),
      );
      return { token: invited.token, token_id: invited.token_id, owner: found.rows[0]?.owner_id ?? "" };
    },
  };
}
