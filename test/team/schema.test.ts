import { describe, expect, it } from "vitest";
import { migrate } from "../../src/team/schema/migrate.ts";
import { migrations } from "../../src/team/schema/migrations.ts";
import { cluster, NO_POSTGRES, teamStore, withClient } from "./postgres.ts";

/** Of what was released. A changed one would leave stores behind that no file describes: write a new migration. */
const RELEASED: Readonly<Record<string, string>> = {};

const all = migrations();
const statements = all.flatMap((step) => step.statements);
const tables = statements.flatMap((text) => {
  const [, name, body] = /^CREATE TABLE IF NOT EXISTS daybook\.(\w+) \(([^]*)\)/.exec(text) ?? [];
  return name === undefined || body === undefined ? [] : [{ name, body, text }];
});
/** Those that hold somebody's rows; the rest is small and the same on every node. */
const owned = tables.filter(({ text }) => text.includes("[partitioned]"));
const ownedNames = owned.map(({ name }) => name).toSorted();

describe("the statements of the schema", () => {
  it("begin every key of somebody's rows with the owner", () => {
    expect(ownedNames).toEqual(
      ["decisions", "details", "heads", "machines", "session_copies", "sessions", "texts"].concat(
        ...["tool_calls", "turns", "usage_days", "usage_responses"],
      ),
    );
    for (const { name, body } of owned) {
      const keys = [...body.matchAll(/(?:PRIMARY KEY|UNIQUE) ?(\([^)]*\))?/g)].map(([, columns = ""]) => columns);
      expect([name, keys.length]).toEqual([name, 1]);
      for (const columns of keys) expect([name, columns]).toEqual([name, expect.stringMatching(/^\(owner_id\b/)]);
    }
    // Whose rows are not partitioned says nothing of anybody's work.
    const rest = tables.filter((table) => !owned.includes(table)).map(({ name }) => name);
    expect(rest).toEqual(["stores", "owners", "teams", "memberships", "tokens"]);
  });

  it("use nothing that only one engine has, or that ties owners together", () => {
    for (const text of statements)
      expect(text).not.toMatch(
        /\b(?:serial|bigserial|identity|sequence|references|trigger|extension|jsonb|generated)\b/i,
      );
  });

  it("can each be run again", () => {
    for (const text of statements)
      expect(text).toMatch(
        /^(?:CREATE (?:TABLE|INDEX) IF NOT EXISTS|CREATE OR REPLACE FUNCTION|CREATE POLICY|DROP POLICY IF EXISTS|ALTER TABLE \S+ (?:ENABLE|FORCE) ROW LEVEL SECURITY|GRANT|REVOKE)\b/,
      );
    const made = statements.filter((text) => text.startsWith("CREATE POLICY")).map(policyOf);
    const dropped = statements.filter((text) => text.startsWith("DROP POLICY")).map(policyOf);
    expect(made).toEqual(dropped);
  });

  it("are those that were released", () => {
    for (const [name, checksum] of Object.entries(RELEASED))
      expect([name, all.find((step) => step.name === name)?.checksum]).toEqual([name, checksum]);
  });
});

function policyOf(text: string): string {
  return /POLICY (?:IF EXISTS )?(\w+ ON \S+?);?(?:\s|$)/.exec(text)?.[1] ?? text;
}

describe.skipIf(NO_POSTGRES !== null).each([0, 4])("a store in %i partitions", (partitions) => {
  const wanted = { zone: "UTC", partitions, smallestGroup: 3, personsShown: false, now: 0 };

  it("is made once, and is as it was when it is made again", async () => {
    const { url } = await teamStore({ partitions });
    await withClient(url, async (client) => {
      const before = await client.query("SELECT * FROM daybook.stores");
      const again = await migrate(client, { ...wanted, partitions: 8, zone: "Asia/Tokyo" });
      expect(again.ran).toEqual([]);
      expect((await client.query("SELECT * FROM daybook.stores")).rows).toEqual(before.rows);
      expect(before.rows).toMatchObject([{ store_id: again.storeId, partitions, schema_version: all.length }]);
    });
  });

  it("has no key that does not begin with the owner, no sequence, foreign key, trigger or extension", async () => {
    const { url } = await teamStore({ partitions });
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
      const walls = await ask(`
        SELECT c.relname FROM pg_class c WHERE relnamespace ${inDaybook} AND relkind IN ('r', 'p') AND NOT relispartition
          AND relrowsecurity AND relforcerowsecurity ORDER BY 1`);
      expect(walls).toEqual(ownedNames.map((name) => [name]));
      // Rights on a partition would go past the policies, which stand on its parent.
      expect(
        await ask(
          `SELECT relname FROM pg_class WHERE relnamespace ${inDaybook} AND relispartition AND relacl IS NOT NULL`,
        ),
      ).toEqual([]);
    });
  });

  it("that was left half made is finished with the partitions it was begun with", async () => {
    const { url } = await cluster();
    const name = `half_${partitions}`;
    await withClient(url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
    await withClient(url(name), async (client) => {
      let left = 40;
      const breaking = {
        query: (...given: [string, unknown[]?]) => {
          if ((left -= 1) < 0) throw new Error("gone");
          return client.query(...given);
        },
      };
      await expect(migrate(breaking as never, wanted)).rejects.toThrow("gone");
      await client.query("RESET ROLE");
      await migrate(client, { ...wanted, partitions: partitions === 0 ? 0 : 16 });
      const { rows } = await client.query("SELECT partitions, schema_version FROM daybook.stores");
      expect(rows).toEqual([{ partitions, schema_version: all.length }]);
    });
  });

  it("that a newer program made, or changed files, is left alone", async () => {
    const { url } = await teamStore({ partitions });
    await withClient(url, async (client) => {
      await client.query("UPDATE daybook.migrations SET checksum = 'other' WHERE name = '0001-tables'");
      await expect(migrate(client, wanted)).rejects.toThrow("0001-tables is not what made this store");
      await client.query("INSERT INTO daybook.migrations VALUES ('9999-later', '', now())");
      await client.query("DELETE FROM daybook.migrations WHERE name = '0001-tables'");
      await expect(migrate(client, wanted)).rejects.toThrow("made by a newer Daybook");
    });
  });
});
