import type { Command } from "commander";
import type {
  TeamDistributeAnswer,
  TeamInitAnswer,
  TeamInviteAnswer,
  TeamMembersAnswer,
  TeamRevokeAnswer,
  TeamStatusAnswer,
} from "../../../answers/json.ts";
import type { MemberRole, StoreStatus, TokenScope } from "../../../views/team.ts";
import type { StoreAdmin } from "../../../team/admin.ts";
import { Zone } from "../../../base/time/zone.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { plural } from "../../../base/text/units.ts";
import { plain } from "../../../base/text/inert.ts";
import { flow, wrapLines } from "../layout.ts";
import { positive, type Register, unknownValueError, usageError } from "../flags.ts";
import { paintFor } from "../output.ts";
import { table } from "../table.ts";
import { retentionCommand, retentionWords } from "./team-retention.ts";

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
    .description("manage a store for many machines: create it, decide who may push and read, and how long data is kept")
    .argument("[action]", "one of the commands below")
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook team init --store postgres://admin@db.example/daybook\n  daybook team invite ann --team backend\n  daybook team members\n  daybook team revoke ann\n  daybook team retention --texts 90d --turns 2y --dry-run",
    )
    .action(async (action: string | undefined, flags: Flags) => {
      if (action !== undefined)
        throw unknownValueError(
          "action",
          action,
          command.commands.map((one) => one.name()),
        );
      await status(io, flags);
      exit(0);
    });
  for (const add of [
    initCommand,
    distributeCommand,
    statusCommand,
    inviteCommand,
    membersCommand,
    revokeCommand,
    setCommand,
  ])
    add(command, io, () => exit(0));
  retentionCommand(storeFlags(command.command("retention")), io, (flags) => adminOf(io, flags), exit);
};

type AddCommand = (command: Command, io: Io, done: () => void) => void;

function storeFlags(command: Command): Command {
  return command
    .option("--store <url>", "the database, with an administrator's login: postgres://… (default: $DAYBOOK_STORE)")
    .option("-j, --json", "print JSON")
    .option("--no-color", "no colour");
}

async function adminOf(io: Io, { store = io.env["DAYBOOK_STORE"] ?? "" }: Flags): Promise<StoreAdmin> {
  if (store.trim() === "") throw usageError("which store?", "--store postgres://host/database, or set $DAYBOOK_STORE");
  // Imported here because no other command talks to a database.
  const { StoreAdmin: Admin } = await import("../../../team/admin.ts");
  return new Admin(store, io.now);
}

const initCommand: AddCommand = (parent, io, done) => {
  storeFlags(parent.command("init"))
    .description("create the store in an empty database, or update it to the schema of this version")
    .option("--partitions <n>", "split each table into this many partitions by owner; cannot be changed later", "0")
    .option("-z, --timezone <zone>", "the time zone of the store's days (default: the system's)")
    .option("--owner <name>", "also create this person, for a personal store")
    .option("--smallest-group <n>", "hide groups with fewer people from leads", "5")
    .option("--persons", "show leads the numbers of each person")
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

const distributeCommand: AddCommand = (parent, io, done) => {
  storeFlags(parent.command("distribute"))
    .description("spread the store over the nodes of a Citus cluster, by person; run on its coordinator, after init")
    .addHelpText("after", "\nExamples:\n  daybook team distribute --store postgres://admin@coordinator.example/daybook")
    .action(async (flags: Flags) => {
      const made = await (await adminOf(io, flags)).distribute();
      if (flags.json === true) printJson(io, { schema_version: 1, ...made } satisfies TeamDistributeAnswer);
      else {
        const did =
          made.split.length + made.copied.length === 0
            ? "Every table was distributed before"
            : `${plural(made.split.length, "table")} split by person, ${plural(made.copied.length, "table")} copied to every node`;
        io.out(`${did}. Rows are on ${plural(made.nodes, "node")}.\n`);
      }
      done();
    });
};

const statusCommand: AddCommand = (parent, io, done) => {
  storeFlags(parent.command("status"))
    .description("show the store, and whether its schema matches this version")
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
  const { zone, partitions, people, teams, tokens, smallest_group, smallest_name, persons_shown } = store;
  return [
    `store ${store.store_id}`,
    ...schemaWords(store),
    `time zone ${plain(zone)}`,
    partitions === 0 ? "not partitioned" : `${partitions} partitions`,
    ...(store.nodes === null ? [] : [`distributed over ${plural(store.nodes, "node")}`]),
    plural(people, "person", "people"),
    plural(teams, "team"),
    plural(tokens, "valid token"),
    `leads see groups of ${smallest_group} or more${smallest_name < smallest_group ? `, names of models, agents and tools of ${smallest_name}` : ""}${persons_shown ? ", and persons" : ""}`,
    ...(store.retention === null ? [] : retentionWords(store.retention)),
  ];
}

/** Reports migrations that are missing, differ from the released ones, or come from a newer Daybook. */
function schemaWords({ schema_version, missing, changed, unknown: newer }: StoreStatus): string[] {
  return [
    missing.length === 0
      ? `schema ${schema_version}`
      : `schema ${schema_version}: run daybook team init for ${missing.join(", ")}`,
    ...(changed.length > 0 ? [`${changed.join(", ")}: checksum differs from the release`] : []),
    ...(newer.length > 0 ? [`made by a newer Daybook: ${newer.join(", ")}`] : []),
  ];
}

const inviteCommand: AddCommand = (parent, io, done) => {
  storeFlags(parent.command("invite"))
    .description("create a token for a new or existing person; it is shown only once")
    .argument("<person>", "a name in this store, for example ann or ann@example.com")
    .option("--scope <scope>", "what it allows: push (send own sessions) or read (query)", "push")
    .option("--role <role>", "member, lead of the team, or auditor of everything (default: unchanged, else member)")
    .option("--team <name>", "the team they belong to (default: unchanged, else everybody)")
    .option("--label <text>", "what the token is for, such as a machine's name", "")
    .option("--expires <days>", "days until it expires; 0 for never", "365")
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
        login: person,
        role,
        team: flags.team ?? null,
        scope,
        label: flags.label,
        expires,
      });
      if (flags.json === true) printJson(io, { schema_version: 1, invited } satisfies TeamInviteAnswer);
      else {
        io.out(`${invited.token}\n`);
        const until = invited.expires === null ? "forever" : `until ${invited.expires.slice(0, 10)}`;
        const place =
          scope === "push"
            ? "They put it into `[team] token` in config.toml, or into $DAYBOOK_TEAM_TOKEN."
            : "They sign in to the team's page with it, or use --store with $DAYBOOK_TEAM_TOKEN.";
        const note = `${describePerson(invited)} may ${scope} with it ${until}. ${place} It is shown only once; \`daybook team revoke ${invited.token_id.slice(0, 8)}\` revokes it.`;
        io.err(`${wrapLines(note, io.columns).join("\n")}\n`);
      }
      done();
    });
};

/** For example: ann, member of backend, */
function describePerson({ login, role, team }: TeamInviteAnswer["invited"]): string {
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

const membersCommand: AddCommand = (parent, io, done) => {
  storeFlags(parent.command("members"))
    .description("list the people in the store, with their teams and tokens")
    .addHelpText("after", "\nExamples:\n  daybook team members\n  daybook team members --json")
    .action(async (flags: Flags) => {
      const members = await (await adminOf(io, flags)).members();
      if (flags.json === true) printJson(io, { schema_version: 1, members } satisfies TeamMembersAnswer);
      else if (members.length === 0)
        io.out("Nobody is in this store yet. `daybook team invite NAME` creates a token.\n");
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
              ended || (expires?.slice(0, 10) ?? "forever"),
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
          ...(head === "is" ? { grow: true } : head === "label" ? { dropOrder: 1, minWidth: 6 } : {}),
        }));
        io.out(`${table(columns, rows, io.columns, paintFor(io, flags.color !== false).bold)}\n`);
      }
      done();
    });
};

const revokeCommand: AddCommand = (parent, io, done) => {
  storeFlags(parent.command("revoke"))
    .description("revoke a token, or all access of a person; what they pushed stays")
    .argument("<what>", "a person's name, or the beginning of a token's id")
    .option("--team <name>", "only remove the person from this team; their tokens stay valid")
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
          team === null ? `${plural(tokens, "token")} revoked.\n` : `${plain(what)} is no longer in ${plain(team)}.\n`,
        );
      done();
    });
};

const setCommand: AddCommand = (parent, io, done) => {
  storeFlags(parent.command("set"))
    .description("change what leads can see")
    .option("--smallest-group <n>", "hide groups with fewer people from leads")
    .option("--smallest-name <n>", "show names of models, agents, tools and outcomes from this many people on")
    .option("--budget <usd>", "what --team means to spend in a month, in dollars; 0 for no budget")
    .option("--team <name>", "the team of --budget")
    .option("--persons", "show leads the numbers of each person")
    .option("--no-persons", "show leads only the numbers of groups")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook team set --smallest-group 8\n  daybook team set --team backend --budget 2000\n  daybook team set --no-persons",
    )
    .action(async (flags: Flags & SetFlags) => {
      const { smallestGroup, smallestName, persons, budget, team: name } = flags;
      if ([smallestGroup, smallestName, persons, budget].every((one) => one === undefined))
        throw usageError(
          "set what?",
          "--smallest-group N, --smallest-name N, --team NAME --budget USD, --persons or --no-persons",
        );
      if ((budget === undefined) !== (name === undefined))
        throw usageError("--budget needs --team, and --team --budget", "whose budget, and how much");
      const groups = smallestGroup === undefined ? undefined : positive(smallestGroup, "--smallest-group");
      const names = smallestName === undefined ? undefined : positive(smallestName, "--smallest-name");
      const monthly = budget === undefined || budget === "0" ? null : positive(budget, "--budget");
      const admin = await adminOf(io, flags);
      await admin.settings({ smallestGroup: groups, smallestName: names, personsShown: persons });
      if (name !== undefined) await admin.budget(name, monthly);
      await status(io, flags);
      done();
    });
};

interface SetFlags {
  smallestGroup?: string;
  smallestName?: string;
  persons?: boolean;
  budget?: string;
  team?: string;
}

function oneOf<T extends string>(known: readonly T[], given: string, what: string): T {
  const found = known.find((one) => one === given);
  if (found === undefined) throw unknownValueError(what, given, known);
  return found;
}
