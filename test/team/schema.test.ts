import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { MIGRATIONS } from "../../src/places.ts";
import { StoreAdmin } from "../../src/team/admin.ts";
import { migrate } from "../../src/team/schema/migrate.ts";
import { migrations } from "../../src/team/schema/migrations.ts";
import { keyProblems, REFUSED, refusedIn, tablesIn } from "./portable.ts";
import { TABLES_OF_ROWS } from "./push-fixture.ts";
import { cluster, NO_POSTGRES, teamStore, withClient } from "./postgres.ts";

const all = migrations();
const statements = all.flatMap((step) => step.statements);
const owned = tablesIn(statements).filter((table) => table.owned);
const ownedNames = owned.map(({ name }) => name).toSorted();
const texts = all.map(({ name }) => readFileSync(new URL(`${name}.sql`, MIGRATIONS), "utf8"));

/** The files that contain statements. */
function teamSources(): [name: string, text: string][] {
  return ["team", "doors/http/team"].flatMap((folder) => {
    const root = fileURLToPath(new URL(`../../src/${folder}/`, import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(5);
    return files.map((name): [string, string] => [`${folder}/${name}`, readFileSync(join(root, name), "utf8")]);
  });
}

describe("the SQL of the team store", () => {
  it("begins every key of an owned table with owner_id", () => {
    expect(ownedNames).toEqual(TABLES_OF_ROWS.toSorted());
    for (const text of texts) expect(keyProblems(text)).toEqual([]);
  });

  const PARTED = "/*[partitioned] PARTITION BY HASH (owner_id) */;\n\n";
  it.each([
    ["another column first", `CREATE TABLE IF NOT EXISTS daybook.x (n int4, PRIMARY KEY (n, owner_id)) ${PARTED}`],
    ["a second key", `CREATE TABLE IF NOT EXISTS daybook.x (h bytea UNIQUE, PRIMARY KEY (owner_id)) ${PARTED}`],
    ["a key of one column", `CREATE TABLE IF NOT EXISTS daybook.x (id uuid PRIMARY KEY) ${PARTED}`],
    ["no key", `CREATE TABLE IF NOT EXISTS daybook.x (owner_id uuid) ${PARTED}`],
    ["no owner", "CREATE TABLE IF NOT EXISTS daybook.x (id uuid PRIMARY KEY);\n\n"],
    ["a unique index", "CREATE UNIQUE INDEX IF NOT EXISTS u ON daybook.turns (hash);\n\n"],
    ["a key added later", "ALTER TABLE daybook.turns ADD CONSTRAINT u UNIQUE (hash);\n\n"],
  ])("would fail the check of keys with %s", (_, text) => {
    expect(keyProblems(text)).toHaveLength(1);
  });

  it("has no statement in a migration that an engine refuses or misinterprets", () => {
    for (const text of statements) expect([text, refusedIn(text)]).toEqual([text, []]);
  });

  it.each(REFUSED.map(({ what, example }) => [what, example]))(
    "would fail the check of portability with %s",
    (what, example) => {
      expect(refusedIn(example).some((found) => found.startsWith(what))).toBe(true);
    },
  );

  it("has no statement in the code that an engine refuses or misinterprets", () => {
    // String literals that begin like a statement, in either kind of quotes.
    const literals =
      /[`"](\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|GRANT|COPY|LISTEN|NOTIFY|SET|BEGIN)\b[^]*?)[`"]/g;
    let found = 0;
    for (const [name, source] of teamSources())
      for (const [, text = ""] of source.matchAll(literals)) {
        found += 1;
        expect([name, text, refusedIn(text)]).toEqual([name, text, []]);
      }
    expect(found).toBeGreaterThan(30);
  });

  it("never sends two statements in one string, not even put together from two", () => {
    let found = 0;
    for (const [name, source] of teamSources())
      for (const [, text = ""] of source.matchAll(/\.query\b(?:<[^(]*>)?\(\s*(?:`([^`]*)`|"([^"]*)")/g)) {
        found += 1;
        expect([name, text, /;\s*\S/.test(text)]).toEqual([name, text, false]);
      }
    expect(found).toBeGreaterThan(30);
  });

  it("has only statements in migrations that can be run again", () => {
    for (const text of statements)
      expect(text).toMatch(
        /^(?:\/\*\[not_cockroach\] )?(?:CREATE OR REPLACE VIEW|CREATE (?:TABLE|INDEX) IF NOT EXISTS|CREATE OR REPLACE FUNCTION|CREATE POLICY|DROP POLICY IF EXISTS|ALTER TABLE \S+ (?:(?:ENABLE|FORCE) ROW LEVEL SECURITY|ADD COLUMN IF NOT EXISTS)|GRANT|REVOKE)\b/,
      );
    const created = statements.filter((text) => text.startsWith("CREATE POLICY")).map(policyOf);
    const dropped = statements.filter((text) => text.startsWith("DROP POLICY")).map(policyOf);
    expect(created).toEqual(dropped);
  });

  describe("in the released migrations", () => {
    const listed = readFileSync(new URL("SHA256SUMS", MIGRATIONS), "utf8");

    it("has the listed checksum in every file", () => {
      expect(listed).toBe(all.map(({ name, checksum }) => `${checksum}  ${name}.sql\n`).join(""));
      const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
      expect(files).toEqual(all.map(({ name }) => `${name}.sql`));
    });

    it.each(all.map(({ name }) => name))("is refused if %s was modified", (name) => {
      const dir = mkdtempSync(join(tmpdir(), "daybook-migrations-"));
      cpSync(fileURLToPath(MIGRATIONS), dir, { recursive: true });
      expect(migrations(pathToFileURL(`${dir}/`))).toEqual(all);
      // One more byte that does not change any statement.
      appendFileSync(join(dir, `${name}.sql`), "\n");
      expect(() => migrations(pathToFileURL(`${dir}/`))).toThrow(`${name}.sql is not the file that was released`);
      rmSync(dir, { recursive: true });
    });

    it("may not change after a release, not even together with its checksum", () => {
      const repository = mkdtempSync(join(tmpdir(), "daybook-released-"));
      const git = (...words: string[]): void =>
        void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x", ...words], { cwd: repository });
      cpSync(fileURLToPath(MIGRATIONS), join(repository, "migrations"), { recursive: true });
      mkdirSync(join(repository, "scripts"));
      const script = "scripts/check-migrations.js";
      cpSync(fileURLToPath(new URL(`../../${script}`, import.meta.url)), join(repository, script));
      writeFileSync(join(repository, "package.json"), '{"type":"module"}');
      git("init", "-q");
      git("add", ".");
      git("commit", "-qm", "as released");
      const check = (): string => spawnSync(process.execPath, [script], { cwd: repository, encoding: "utf8" }).stderr;
      const write = (name: string, text: string): void => writeFileSync(join(repository, "migrations", name), text);
      expect(check()).toBe("");
      const [first] = all;
      const text = readFileSync(new URL(`${first?.name}.sql`, MIGRATIONS), "utf8");
      write(`${first?.name}.sql`, `${text}\n`);
      expect(check()).toContain(`${first?.name}.sql is not what migrations/SHA256SUMS says`);
      const sum = createHash("sha256").update(`${text}\n`).digest("hex");
      write("SHA256SUMS", listed.replace(first?.checksum ?? "", sum));
      expect(check()).toBe("");
      git("tag", "v0.1.0");
      expect(check()).toContain(`${first?.name}.sql was released with another checksum`);
      write(`${first?.name}.sql`, text);
      // A new migration is listed after the others.
      write("9999-next.sql", "");
      write("SHA256SUMS", `${listed}${createHash("sha256").update("").digest("hex")}  9999-next.sql\n`);
      expect(check()).toBe("");
      rmSync(repository, { recursive: true });
    });
  });
});

function policyOf(text: string): string {
  return /POLICY (?:IF EXISTS )?(\w+ ON \S+?);?(?:\s|$)/.exec(text)?.[1] ?? text;
}

describe.skipIf(NO_POSTGRES !== null).each([0, 4])("a store with %i partitions", (partitions) => {
  const wanted = { zone: "UTC", partitions, smallestGroup: 3, personsShown: false, now: 0 };

  it("is not changed by running the migrations again", async () => {
    const { url } = await teamStore({ partitions }, true);
    await withClient(url, async (client) => {
      const before = await client.query("SELECT * FROM daybook.stores");
      const again = await migrate(client, { ...wanted, partitions: 8, zone: "Asia/Tokyo" });
      expect(again.ran).toEqual([]);
      expect((await client.query("SELECT * FROM daybook.stores")).rows).toEqual(before.rows);
      expect(before.rows).toMatchObject([{ store_id: again.storeId, partitions, schema_version: all.length }]);
    });
  });

  it("has no key that does not begin with owner_id, no sequence, foreign key, trigger or extension", async () => {
    const { url } = await teamStore({ partitions }, true);
    await withClient(url, async (client) => {
      const ask = async (text: string): Promise<unknown[]> => (await client.query({ text, rowMode: "array" })).rows;
      const keys = await ask(`
        SELECT c.relname, a.attname FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace s ON s.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE s.nspname = 'daybook' AND i.indisunique AND NOT c.relispartition
          AND c.relname IN (${owned.map(({ name }) => `'${name}'`).join(", ")})
        ORDER BY 1`);
      expect(keys).toEqual(ownedNames.map((name) => [name, "owner_id"]));
      const others = await ask(`
        SELECT c.relname, i.indexrelid::regclass::text FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace s ON s.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE s.nspname = 'daybook' AND a.attname <> 'owner_id' AND NOT c.relispartition
          AND c.relname IN (${owned.map(({ name }) => `'${name}'`).join(", ")})
        ORDER BY 1`);
      expect(others).toEqual([
        ["texts", "daybook.texts_by_term"],
        ["usage_days", "daybook.usage_days_by_day"],
      ]);
      const inDaybook = "IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'daybook%')";
      expect(await ask(`SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace ${inDaybook}`)).toEqual([]);
      expect(await ask(`SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace ${inDaybook}`)).toEqual(
        [],
      );
      expect(await ask("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")).toEqual([]);
      expect(await ask("SELECT extname FROM pg_extension")).toEqual([["plpgsql"]]);
      const protectedTables = await ask(`
        SELECT c.relname FROM pg_class c WHERE relnamespace ${inDaybook} AND relkind IN ('r', 'p') AND NOT relispartition
          AND relrowsecurity AND relforcerowsecurity ORDER BY 1`);
      expect(protectedTables).toEqual(ownedNames.map((name) => [name]));
      // A function that runs with its owner's rights is open to one role only, and its search_path is fixed.
      const functions = await ask(`
        SELECT p.proname, r.rolname, p.proconfig::text, coalesce(p.proacl::text, 'everybody') FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
        WHERE p.pronamespace ${inDaybook} ORDER BY 1`);
      const pinned = '{"search_path=pg_catalog, pg_temp"}';
      const open = (role: string): string => `{daybook_reader=X/daybook_reader,${role}=X/daybook_reader}`;
      // Others are used by these only.
      const closed = "{daybook_reader=X/daybook_reader}";
      const reported = open("daybook_reporter");
      const shown = open("daybook_report").replaceAll("daybook_reader", "daybook_reporter");
      expect(functions).toEqual([
        ["all_teams", "daybook_reporter", pinned, shown],
        ["is_shared", "daybook_reader", pinned, reported],
        ["parts_of", "daybook_reader", pinned, reported],
        ["search_texts", "daybook_reader", pinned, open("daybook_dev")],
        ["team_parts", "daybook_reader", pinned, closed],
        ["team_state", "daybook_reader", pinned, open("daybook_lead")],
        ["team_usage", "daybook_reader", pinned, open("daybook_lead")],
        ["text_counts", "daybook_reader", pinned, open("daybook_dev")],
        ["usage_of", "daybook_reader", pinned.replace("}", ",jit=off,enable_nestloop=off}"), reported],
        ["week_of", "daybook_reporter", pinned, shown],
        ["week_shown", "daybook_reader", pinned, reported],
      ]);
      const views = `SELECT DISTINCT relnamespace::regnamespace::text, relowner::regrole::text FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace ${inDaybook}`;
      expect(await ask(views)).toEqual([["daybook_report", "daybook_reporter"]]);
      // A cluster asks the tables behind a view for the privileges of its reader, who has none.
      const behindViews = `SELECT DISTINCT c.relname FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c ON c.oid = d.refobjid
        WHERE r.ev_class::regclass::text LIKE 'daybook%' AND c.relkind IN ('r', 'p')`;
      expect(await ask(behindViews)).toEqual([]);
      // Privileges on a partition would bypass the policies, which belong to its parent.
      expect(
        await ask(
          `SELECT relname FROM pg_class WHERE relnamespace ${inDaybook} AND relispartition AND relacl IS NOT NULL`,
        ),
      ).toEqual([]);
    });
  });

  it("is completed after an interruption with the partitions it was begun with", async () => {
    const { url } = await cluster();
    const name = `half_${partitions}`;
    await withClient(url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
    await withClient(url(name), async (client) => {
      let left = 40;
      const breaking = {
        query: (...args: [string, unknown[]?]) => {
          if ((left -= 1) < 0) throw new Error("gone");
          return client.query(...args);
        },
      };
      await expect(migrate(breaking as never, wanted)).rejects.toThrow("gone");
      await client.query("RESET ROLE");
      await migrate(client, { ...wanted, partitions: partitions === 0 ? 0 : 16 });
      const { rows } = await client.query("SELECT partitions, schema_version FROM daybook.stores");
      expect(rows).toEqual([{ partitions, schema_version: all.length }]);
    });
  });

  it("is not migrated if modified migrations or a newer Daybook made it", async () => {
    const { url } = await teamStore({ partitions }, true);
    await withClient(url, async (client) => {
      await client.query("UPDATE daybook.migrations SET checksum = 'other' WHERE name = '0001-tables'");
      await expect(migrate(client, wanted)).rejects.toThrow("made by a modified 0001-tables");
      expect(await new StoreAdmin(url, 0).status()).toMatchObject({
        changed: ["0001-tables"],
        unknown: [],
        missing: [],
      });
      await client.query("INSERT INTO daybook.migrations VALUES ('9999-later', '', now())");
      await client.query("DELETE FROM daybook.migrations WHERE name = '0001-tables'");
      await expect(migrate(client, wanted)).rejects.toThrow("made by a newer Daybook");
      const status = await new StoreAdmin(url, 0).status();
      expect(status).toMatchObject({ changed: [], unknown: ["9999-later"], missing: ["0001-tables"] });
    });
  });
});
