import type { Command } from "commander";
import type {
  TeamInitAnswer,
  TeamInviteAnswer,
  TeamMembersAnswer,
  TeamRevokeAnswer,
  TeamStatusAnswer,
} from "../../daybook/json.ts";
import type { MemberRole, StoreStatus, TokenScope } from "../../answers/team.ts";
import type { StoreAdmin } from "../../team/admin.ts";
import { Zone } from "../../time/zone.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { flow, lined } from "../layout.ts";
import { positive } from "../options.ts";
import { paints } from "../paint.ts";
import type { Register } from "../register.ts";
import { table } from "../table.ts";
import { plain, plural } from "../text.ts";
import { retentionCommand, retentionWords } from "./team-retention.ts";
import { unknown, wrongUse } from "../unknown.ts";

interface Flags {
  store?: string;
  json?: boolean;
  color?: boolean;
}

const ROLES: readonly MemberRole[] = ["member", "lead", "auditor"];
const SCOPES: readonly TokenScope[] = ["push", "read"];
const DAY = 24 * 3600 * 1000;

export const team: Register = (program, io, exit) => {
  const command = storeFlags(program.command("team"))
    .description("one store for many machines: make it, say who may push to it and read it, and how long things stay")
    .argument("[action]", "one of the commands below")
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook team init --store postgres://admin@db.example/daybook\n  daybook team invite ann --team backend\n  daybook team members\n  daybook team revoke ann\n  daybook team retention --texts 90d --turns 2y --dry-run",
    )
    .action(async (action: string | undefined, flags: Flags) => {
      if (action !== undefined)
        throw unknown(
          "action",
          action,
          command.commands.map((one) => one.name()),
        );
      await status(io, flags);
      exit(0);
    });
  for (const add of [initCommand, statusCommand, inviteCommand, membersCommand, revokeCommand, setCommand])
    add(command, io, () => exit(0));
  retentionCommand(storeFlags(command.command("retention")), io, (flags) => adminOf(io, flags), exit);
};

type Adding = (command: Command, io: Io, done: () => void) => void;

function storeFlags(command: Command): Command {
  return command
    .option("--store <url>", "the database, as whoever administers it: postgres://… (default: $DAYBOOK_STORE)")
    .option("-j, --json", "print JSON")
    .option("--no-color", "no colour");
}

async function adminOf(io: Io, { store = io.env["DAYBOOK_STORE"] ?? "" }: Flags): Promise<StoreAdmin> {
  if (store.trim() === "") throw wrongUse("which store?", "--store postgres://host/database, or set $DAYBOOK_STORE");
  // Loaded here: no other command speaks to a database.
  const { StoreAdmin: Admin } = await import("../../team/admin.ts");
  return new Admin(store, io.now);
}

const initCommand: Adding = (parent, io, done) => {
  storeFlags(parent.command("init"))
    .description("make the store in an empty database, or bring it to the schema of this version")
    .option("--partitions <n>", "split each table in this many by owner; cannot be changed later", "0")
    .option("-z, --timezone <zone>", "the zone all days of the store are counted in (default: the system's)")
    .option("--owner <name>", "also make this person, for a store of one's own")
    .option("--smallest-group <n>", "leads see nothing of groups of fewer people", "5")
    .option("--persons", "leads see numbers by person")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook team init --store postgres://admin@db.example/daybook\n  daybook team init --store postgres:///daybook --owner ann --smallest-group 1",
    )
    .action(async (flags: Flags & InitFlags) => {
      const partitions = flags.partitions === "0" ? 0 : positive(flags.partitions, "--partitions");
      const smallestGroup = positive(flags.smallestGroup, "--smallest-group");
      const zone = new Zone(flags.timezone ?? io.config?.timezone ?? null).name;
      const admin = await adminOf(io, flags);
      const wanted = { partitions, smallestGroup, zone, personsShown: flags.persons === true };
      const { storeId, ran } = await admin.init(wanted, flags.owner ?? null);
      if (flags.json === true) printJson(io, { schema_version: 1, store_id: storeId, ran } satisfies TeamInitAnswer);
      else
        io.out(
          ran.length === 0
            ? `The store ${storeId} was up to date.\n`
            : `The store ${storeId} is ready: ${ran.join(", ")}.\n`,
        );
      done();
    });
};

interface InitFlags {
  partitions: string;
  timezone?: string;
  owner?: string;
  smallestGroup: string;
  persons?: boolean;
}

const statusCommand: Adding = (parent, io, done) => {
  storeFlags(parent.command("status"))
    .description("what the store is, and whether its schema is this version's")
    .addHelpText("after", "\nExamples:\n  daybook team status\n  daybook team status --json")
    .action(async (flags: Flags) => {
      await status(io, flags);
      done();
    });
};

async function status(io: Io, flags: Flags): Promise<void> {
  const store = await (await adminOf(io, flags)).status();
  if (flags.json === true) printJson(io, { schema_version: 1, store } satisfies TeamStatusAnswer);
  else io.out(`${flow(statusWords(store), io.columns).join("\n")}\n`);
}

function statusWords(store: StoreStatus): string[] {
  const { zone, partitions, people, teams, tokens, smallest_group, persons_shown } = store;
  return [
    `store ${store.store_id}`,
    ...schemaWords(store),
    `days of ${plain(zone)}`,
    partitions === 0 ? "not partitioned" : `${partitions} partitions`,
    plural(people, "person", "people"),
    plural(teams, "team"),
    `${plural(tokens, "token")} in force`,
    `leads see groups of ${smallest_group} or more${persons_shown ? ", and persons" : ""}`,
    ...(store.retention === null ? [] : retentionWords(store.retention)),
  ];
}

/** A store that was made by other statements is not what this program takes it for. */
function schemaWords({ schema_version, missing, changed, unknown: newer }: StoreStatus): string[] {
  return [
    missing.length === 0
      ? `schema ${schema_version}`
      : `schema ${schema_version}: run daybook team init for ${missing.join(", ")}`,
    ...(changed.length > 0 ? [`${changed.join(", ")}: not as released, by checksum`] : []),
    ...(newer.length > 0 ? [`made by a newer Daybook: ${newer.join(", ")}`] : []),
  ];
}

const inviteCommand: Adding = (parent, io, done) => {
  storeFlags(parent.command("invite"))
    .description("make a token for a person, who is new or known; it is shown this once")
    .argument("<person>", "a name in this store, for example ann or ann@example.com")
    .option("--scope <scope>", "what it is good for: push (send one's own sessions) or read (ask)", "push")
    .option("--role <role>", "member, lead of the team, or auditor of all (default: as it is, else member)")
    .option("--team <name>", "the team they belong to (default: as it is, else everybody)")
    .option("--label <text>", "what the token is for, such as a machine's name", "")
    .option("--expires <days>", "how long it holds; 0 for ever", "365")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook team invite ann --team backend\n  daybook team invite bea --role lead --scope read --team backend\n  daybook team invite kim --role auditor --scope read --expires 30",
    )
    .action(async (person: string, flags: Flags & InviteFlags) => {
      const scope = oneOf(SCOPES, flags.scope, "scope");
      const role = flags.role === undefined ? null : oneOf(ROLES, flags.role, "role");
      const days = flags.expires === "0" ? null : positive(flags.expires, "--expires");
      const expires = days === null ? null : io.now + days * DAY;
      const admin = await adminOf(io, flags);
      const invited = await admin.invite({
        ...{ login: person, role, team: flags.team ?? null, scope, label: flags.label, expires },
      });
      if (flags.json === true) printJson(io, { schema_version: 1, invited } satisfies TeamInviteAnswer);
      else {
        io.out(`${invited.token}\n`);
        const until = invited.expires === null ? "for ever" : `until ${invited.expires.slice(0, 10)}`;
        const place =
          scope === "push"
            ? "`[team] token` in their config.toml holds it, or $DAYBOOK_TEAM_TOKEN."
            : "They sign in on the team's page with it, or ask with --store and $DAYBOOK_TEAM_TOKEN.";
        const note = `${standing(invited)} may ${scope} with it ${until}. ${place} It is shown this once; \`daybook team revoke ${invited.token_id.slice(0, 8)}\` ends it.`;
        io.err(`${lined(note, io.columns).join("\n")}\n`);
      }
      done();
    });
};

/** ann, member of backend, */
function standing({ login, role, team }: TeamInviteAnswer["invited"]): string {
  if (role === "auditor") return `${plain(login)}, auditor,`;
  return team === null ? plain(login) : `${plain(login)}, ${role} of ${plain(team)},`;
}

interface InviteFlags {
  scope: string;
  role?: string;
  team?: string;
  label: string;
  expires: string;
}

const membersCommand: Adding = (parent, io, done) => {
  storeFlags(parent.command("members"))
    .description("who is in the store, in which teams, with which tokens")
    .addHelpText("after", "\nExamples:\n  daybook team members\n  daybook team members --json")
    .action(async (flags: Flags) => {
      const members = await (await adminOf(io, flags)).members();
      if (flags.json === true) printJson(io, { schema_version: 1, members } satisfies TeamMembersAnswer);
      else if (members.length === 0) io.out("Nobody is in this store. `daybook team invite NAME` makes a token.\n");
      else {
        const now = new Date(io.now).toISOString();
        const rows = members.flatMap((member) => {
          const is = [
            ...member.teams.map(({ name, role }) => (role === "lead" ? `leads ${name}` : name)),
            ...(member.auditor ? ["auditor"] : []),
            ...(member.retired ? ["retired"] : []),
          ].join(", ");
          const tokens = member.tokens.map(({ token_id, scope, label, expires, revoked, seen }) => {
            const ended = revoked !== null ? "revoked" : expires !== null && expires <= now ? "expired" : "";
            return [
              token_id.slice(0, 8),
              scope,
              ended || (expires?.slice(0, 10) ?? "for ever"),
              seen?.slice(0, 10) ?? "never",
              plain(label),
            ];
          });
          const [first = ["", "none", "", "", ""], ...more] = tokens;
          return [[plain(member.login), plain(is), ...first], ...more.map((token) => ["", "", ...token])];
        });
        const heads = ["person", "is", "token", "scope", "until", "used", "label"];
        const columns = heads.map((head) => ({
          head,
          ...(head === "is" ? { grow: true } : head === "label" ? { leaves: 1, least: 6 } : {}),
        }));
        io.out(`${table(columns, rows, io.columns, paints(io, flags.color !== false).bold)}\n`);
      }
      done();
    });
};

const revokeCommand: Adding = (parent, io, done) => {
  storeFlags(parent.command("revoke"))
    .description("end a token, or everything of a person; what they pushed stays")
    .argument("<what>", "a person's name, or the beginning of a token's id")
    .option("--team <name>", "only take the person out of this team; their tokens hold")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook team revoke ann\n  daybook team revoke 3f2a91c0\n  daybook team revoke ann --team backend",
    )
    .action(async (what: string, flags: Flags & { team?: string }) => {
      const admin = await adminOf(io, flags);
      const team = flags.team ?? null;
      if (team !== null) await admin.leave(what, team);
      const tokens = team === null ? await admin.revoke(what) : 0;
      if (flags.json === true)
        printJson(io, { schema_version: 1, revoked: what, team, tokens } satisfies TeamRevokeAnswer);
      else
        io.out(
          team === null ? `${plural(tokens, "token")} ended.\n` : `${plain(what)} is no longer in ${plain(team)}.\n`,
        );
      done();
    });
};

const setCommand: Adding = (parent, io, done) => {
  storeFlags(parent.command("set"))
    .description("change what leads are shown")
    .option("--smallest-group <n>", "leads see nothing of groups of fewer people")
    .option("--persons", "leads see numbers by person")
    .option("--no-persons", "leads see numbers of groups alone")
    .addHelpText("after", "\nExamples:\n  daybook team set --smallest-group 8\n  daybook team set --no-persons")
    .action(async (flags: Flags & { smallestGroup?: string; persons?: boolean }) => {
      if (flags.smallestGroup === undefined && flags.persons === undefined)
        throw wrongUse("set what?", "--smallest-group N, --persons or --no-persons");
      const smallestGroup =
        flags.smallestGroup === undefined ? undefined : positive(flags.smallestGroup, "--smallest-group");
      const admin = await adminOf(io, flags);
      await admin.settings({ smallestGroup, personsShown: flags.persons });
      await status(io, flags);
      done();
    });
};

function oneOf<T extends string>(known: readonly T[], given: string, what: string): T {
  const found = known.find((one) => one === given);
  if (found === undefined) throw unknown(what, given, known);
  return found;
}
