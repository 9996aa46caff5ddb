import { userInfo } from "node:os";
import type { Command } from "commander";
import type { DaybookOptions, GivenDemand, GivenRows } from "../daybook.ts";
import type { Io } from "./io.ts";
import { lined } from "./layout.ts";
import { wrongUse } from "./unknown.ts";

/** For commands that can be answered from what was pushed, too. */
export interface StoreFlags {
  store?: string;
  owner?: string;
}

export function storeFlags(command: Command): Command {
  return command
    .option(
      "--store <url>",
      "answer from what was pushed, to a store, postgres://…, or a team's server, https://…; no file here is read",
    )
    .option("--owner <login>", "with a store: whose sessions (default: [team] owner, else your account's name)");
}

/** Flags that name what is on this machine. */
const HERE = ["root", "home", "sample"] as const;

/** What is asked, and of which person. Null where files and book here are meant. */
export function storeOptions(
  io: Pick<Io, "config" | "env" | "err" | "columns">,
  flags: StoreFlags & { quiet?: boolean } & Partial<Record<(typeof HERE)[number], unknown>>,
): Pick<DaybookOptions, "given" | "roots"> | null {
  const { store: url, owner } = flags;
  if (url === undefined) {
    if (owner !== undefined) throw wrongUse("--owner names a person of a store", "--store URL names the store");
    return null;
  }
  const other = HERE.find((name) => flags[name] !== undefined);
  if (other !== undefined) throw wrongUse(`--${other} does not go with --store`, "leave one of them out");
  const noting = noteOnce(io, flags.quiet === true);
  // No file of an agent is looked for.
  const roots = {};
  if (/^https?:\/\//.test(url)) {
    if (owner !== undefined) throw wrongUse("--owner does not go with a team's server", "its token says who you are");
    const server = { url, settings: io.config?.team ?? {}, env: io.env };
    return {
      roots,
      given: async (work, about) =>
        (await import("../team/read/open-server.ts")).fromServer({ ...server, ...about }, noting(work, about)),
    };
  }
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw wrongUse("a store has an address like postgres://host/database", "a team's server one like https://server");
  const login = owner ?? io.config?.team?.owner ?? userInfo().username;
  return {
    roots,
    given: async (work, about) =>
      (await import("../team/read/open-store.ts")).fromStore({ url, login, ...about }, noting(work, about)),
  };
}

type Work<T> = (rows: GivenRows) => Promise<T>;
type Noting = <T>(work: Work<T>, about: GivenDemand) => Work<T>;

/** Says once what of the asked days was removed from the store: who finds nothing there must not think there was nothing. */
function noteOnce({ err, columns }: Pick<Io, "err" | "columns">, isQuiet: boolean): Noting {
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
      err(`${lined(text, columns).join("\n")}\n`);
    }
    return work(rows);
  };
}
