import { userInfo } from "node:os";
import { DaybookError } from "../../base/errors.ts";
import type { Level } from "../../views/push-level.ts";
import { isServerUrl, tokenFor } from "../server.ts";
import type { Destination } from "./destination.ts";
import { httpsDestination } from "./https.ts";
import { postgresDestination } from "./postgres.ts";

/** The `[team]` section of config.toml. */
export interface TeamSettings {
  /** `postgres://…` for a store of one's own, `https://…` for a team's server. */
  url?: string;
  level?: Level;
  /** The person's name in the store; the account name when absent. */
  owner?: string;
  /** The label of this machine; its host name when absent. */
  machine?: string;
  /** For a team's server. */
  token?: string;
  /**
   * Makes the hashes of project names at level `totals` unreadable to the owner of the store. The same on all
   * machines of a person.
   */
  salt?: string;
  /** Names of projects that are sent as they are, also at level `totals`: those a team agreed to share. */
  projects?: readonly string[];
}

/** Only numbers are sent unless configured otherwise. */
export const DEFAULT_LEVEL: Level = "totals";

export function openDestination(
  settings: TeamSettings,
  env: Readonly<Record<string, string | undefined>>,
): Destination {
  const { url = "" } = settings;
  const how = { jitter: Math.random };
  if (/^postgres(?:ql)?:\/\//.test(url)) return postgresDestination(url, settings.owner ?? accountName(), how);
  if (isServerUrl(url)) return httpsDestination(url, tokenFor("push", settings, env), how);
  const hint = "--to postgres://host/database, or --to https://server; or set [team] url in config.toml";
  // The address may contain a password, so it is not repeated.
  throw wrong(url === "" ? "push to which store?" : "that is not the address of a store or a team's server", hint);
}

function accountName(): string {
  return userInfo().username;
}

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "push", hint });
}
