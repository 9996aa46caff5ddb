import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { DaybookError } from "../../base/errors.ts";
import { MIGRATIONS } from "../../places.ts";

/** One migration: a file of statements, run with the role that will own what it creates. */
export interface Migration {
  name: string;
  role: "daybook_owner" | "daybook_reader" | "daybook_reporter";
  statements: readonly string[];
  checksum: string;
}

/**
 * In order. A released file is never changed: later files correct it. `SHA256SUMS` lists their checksums, and
 * `scripts/check-migrations.js` compares that list with the last release.
 */
const FILES: readonly (readonly [name: string, role: Migration["role"]])[] = [
  ["0001-tables", "daybook_owner"],
  ["0002-access", "daybook_owner"],
  ["0003-questions", "daybook_reader"],
  ["0004-retention", "daybook_owner"],
  ["0005-reports", "daybook_reporter"],
];

/** The number of migrations: what a store must have for this program to write to it. */
export const SCHEMA_VERSION: number = FILES.length;

/** The migrations as released; throws if a file was changed, since no store may be made by it. */
export function migrations(from: URL = MIGRATIONS): Migration[] {
  const listed = readFileSync(new URL("SHA256SUMS", from), "utf8").split("\n");
  return FILES.map(([name, role]) => {
    const text = readFileSync(new URL(`${name}.sql`, from), "utf8");
    const checksum = createHash("sha256").update(text).digest("hex");
    if (!listed.includes(`${checksum}  ${name}.sql`))
      throw new DaybookError(`${name}.sql is not the file that was released`, {
        code: "refused",
        op: "read migrations",
        hint: "reinstall Daybook: its files were changed",
      });
    return { name, role, statements: statementsOf(text), checksum };
  });
}

/** A statement ends with a semicolon before a blank line; semicolons inside a function body do not. */
export function statementsOf(text: string): string[] {
  return text
    .split(/;[ \t]*\n(?=\s*\n|\s*$)/)
    .map((part) => part.replaceAll(/^--.*\n/gm, "").trim())
    .filter((part) => part !== "");
}

/** Parts for some engines only are in comments: `/*[postgres] … *\/` is part of the statement if `postgres` holds. */
export function expandConditions(statement: string, holds: ReadonlySet<string>): string {
  return statement.replaceAll(/\/\*\[(\w+)\](.*?)\*\//gs, (_, when: string, text: string) =>
    holds.has(when) ? text.trim() : "",
  );
}

/** The table a statement creates; `isOwned`: its rows belong to owners, who decide on their partition or node. */
export function createdTable(statement: string): { table: string; isOwned: boolean } | null {
  const [, table] = /^CREATE TABLE IF NOT EXISTS (daybook\.\w+)/.exec(statement) ?? [];
  return table === undefined ? null : { table, isOwned: statement.includes("/*[partitioned]") };
}
