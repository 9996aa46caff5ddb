import { userInfo } from "node:os";
import type { Command } from "commander";
import type { DaybookOptions } from "../daybook.ts";
import type { Io } from "./io.ts";
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
  io: Pick<Io, "config" | "env">,
  flags: StoreFlags & Partial<Record<(typeof HERE)[number], unknown>>,
): Pick<DaybookOptions, "given" | "roots"> | null {
  const { store: url, owner } = flags;
  if (url === undefined) {
    if (owner !== undefined) throw wrongUse("--owner names a person of a store", "--store URL names the store");
    return null;
  }
  const other = HERE.find((name) => flags[name] !== undefined);
  if (other !== undefined) throw wrongUse(`--${other} does not go with --store`, "leave one of them out");
  // No file of an agent is looked for.
  const roots = {};
  if (/^https?:\/\//.test(url)) {
    if (owner !== undefined) throw wrongUse("--owner does not go with a team's server", "its token says who you are");
    const server = { url, settings: io.config?.team ?? {}, env: io.env };
    return {
      roots,
      given: async (work, about) =>
        (await import("../team/read/open-server.ts")).fromServer({ ...server, ...about }, work),
    };
  }
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw wrongUse("a store has an address like postgres://host/database", "a team's server one like https://server");
  const login = owner ?? io.config?.team?.owner ?? userInfo().username;
  return {
    roots,
    given: async (work, about) =>
      (await import("../team/read/open-store.ts")).fromStore({ url, login, ...about }, work),
  };
}
