import { userInfo } from "node:os";
import type { Command } from "commander";
import type { DaybookOptions, RemoteDemand, RemoteRows } from "../../answers/daybook.ts";
import type { Io } from "./io.ts";
import { wrapLines } from "./layout.ts";
import { usageError } from "./usage-errors.ts";

/** For commands that can also be answered from a team store. */
export interface StoreFlags {
  store?: string;
  owner?: string;
}

export function storeFlags(command: Command): Command {
  return command
    .option("--store <url>", "answer from a store (postgres://…) or a team's server (https://…); no local file is read")
    .option("--owner <login>", "with a store: whose sessions (default: [team] owner, else your account name)");
}

/** Flags that refer to this machine. */
const LOCAL_FLAGS = ["root", "home", "sample"] as const;

/** The remote source to query, and whose sessions; null to answer from the files and the book of this machine. */
export function storeOptions(
  io: Pick<Io, "config" | "env" | "err" | "columns">,
  flags: StoreFlags & { quiet?: boolean } & Partial<Record<(typeof LOCAL_FLAGS)[number], unknown>>,
): Pick<DaybookOptions, "remote" | "roots"> | null {
  const { store: url, owner } = flags;
  if (url === undefined) {
    if (owner !== undefined) throw usageError("--owner needs --store", "--store URL names the store");
    return null;
  }
  const other = LOCAL_FLAGS.find((name) => flags[name] !== undefined);
  if (other !== undefined) throw usageError(`--${other} cannot be combined with --store`, "leave one of them out");
  const noting = noteRemovedOnce(io, flags.quiet === true);
  // Look for no agent files on this machine.
  const roots = {};
  if (/^https?:\/\//.test(url)) {
    if (owner !== undefined)
      throw usageError("--owner cannot be combined with a team's server", "the token says who you are");
    const server = { url, settings: io.config?.team ?? {}, env: io.env };
    return {
      roots,
      remote: async (work, about) =>
        (await import("../../team/read/open-server.ts")).fromServer({ ...server, ...about }, noting(work, about)),
    };
  }
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw usageError(
      "that is not the address of a store",
      "use postgres://host/database, or https://server for a team's server",
    );
  const login = owner ?? io.config?.team?.owner ?? userInfo().username;
  return {
    roots,
    remote: async (work, about) =>
      (await import("../../team/read/open-store.ts")).fromStore({ url, login, ...about }, noting(work, about)),
  };
}

type Work<T> = (rows: RemoteRows) => Promise<T>;
type Noting = <T>(work: Work<T>, about: RemoteDemand) => Work<T>;

/**
 * Reports once which of the requested days were removed from the store, so that an empty answer is not mistaken for
 * no work.
 */
function noteRemovedOnce({ err, columns }: Pick<Io, "err" | "columns">, isQuiet: boolean): Noting {
  let isSaid = isQuiet;
  return (work, about) => async (rows) => {
    const removed = isSaid ? null : await rows.removed();
    const start = about.range?.start ?? null;
    const since = start === null ? "" : new Date(start).toISOString().slice(0, 10);
    const said = Object.entries(removed ?? {}).flatMap(([what, day]) =>
      day === null || day <= since ? [] : [`${what} before ${day}`],
    );
    if (said.length > 0) {
      isSaid = true;
      const text = `daybook: removed from the store because of their age: ${said.join(", ")}`;
      err(`${wrapLines(text, columns).join("\n")}\n`);
    }
    return work(rows);
  };
}
