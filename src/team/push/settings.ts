import { userInfo } from "node:os";
import { DaybookError } from "../../errors.ts";
import type { Level } from "../../answers/push-level.ts";
import { isServerUrl, tokenFor } from "../server.ts";
import type { Destination } from "./destination.ts";
import { httpsDestination } from "./https.ts";
import { postgresDestination } from "./postgres.ts";

/** `[team]` in the config. */
export interface TeamSettings {
  /** `postgres://…` of one's own store, `https://…` of a team's server. */
  url?: string;
  level?: Level;
  /** What the store calls the person; the name of the account when absent. */
  owner?: string;
  /** What the machine is called; its own name when absent. */
  machine?: string;
  /** For a team's server. */
  token?: string;
  /** Makes what stands for a project at `totals` unreadable to whoever has the store. The same on all machines of a person. */
  salt?: string;
}

/** Nothing but numbers leaves unless somebody says so. */
export const DEFAULT_LEVEL: Level = "totals";

export function openDestination(
  settings: TeamSettings,
  env: Readonly<Record<string, string | undefined>>,
): Destination {
  const { url = "" } = settings;
  const how = { jitter: Math.random };
  if (/^postgres(?:ql)?:\/\//.test(url)) return postgresDestination(url, settings.owner ?? accountName(), how);
  if (isServerUrl(url)) return httpsDestination(url, tokenFor("push", settings, env), how);
  const hint = "--to postgres://host/database, or --to https://server; [team] url in config.toml holds it";
  // An address may hold a password: it is not repeated.
  throw wrong(url === "" ? "push where to?" : "that is no address of a store or of a team's server", hint);
}

function accountName(): string {
  return userInfo().username;
}

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "push", hint });
}
