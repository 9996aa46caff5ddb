import { messageOf } from "../../base/errors.ts";
import type { Io } from "./io.ts";
import { plain } from "./text.ts";
import { usageError } from "./usage-errors.ts";

export interface TeamServerFlags {
  store?: string;
  host: string;
  publicUrl?: string;
  page: boolean;
}

/** `serve --store URL --team`: the only program with a login to the store; runs until it is stopped. */
export async function runTeamServer(io: Io, flags: TeamServerFlags, port: number, end: Promise<void>): Promise<number> {
  const store = flags.store ?? io.env["DAYBOOK_STORE"] ?? "";
  if (store.trim() === "")
    throw usageError("--team: which store?", "--store postgres://daybook_api@host/database, or set $DAYBOOK_STORE");
  // Imported here because no other command needs a server.
  const { serveTeam } = await import("../http/team/server.ts");
  const serving = await serveTeam({
    store,
    port,
    host: flags.host,
    page: flags.page,
    now: () => Date.now(),
    publicUrl: flags.publicUrl ?? null,
    oidc: io.config?.oidc ?? null,
    failed: (error) => io.err(`daybook: ${plain(messageOf(error))}\n`),
  });
  io.out(`Daybook for a team is at ${serving.url}\n`);
  io.err("Press Ctrl-C to stop.\n");
  await end;
  await serving.close();
  return 0;
}
