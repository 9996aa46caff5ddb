import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { DaybookError } from "../../errors.ts";
import { MIGRATIONS } from "../../places.ts";

/** One step of the schema: a file of statements, run as the role that shall own what it makes. */
export interface Migration {
  name: string;
  role: "daybook_owner" | "daybook_reader";
  statements: readonly string[];
  checksum: string;
}

/**
 * In their order. A file that was released is never changed: what it did is mended by the next one. `SHA256SUMS` beside them lists what each
 * must be, and `scripts/check-migrations.js` holds that list to the one of the last release.
 */
const FILES: readonly (readonly [name: string, role: Migration["role"]])[] = [
  ["0001-tables", "daybook_owner"],
  ["0002-access", "daybook_owner"],
  ["0003-questions", "daybook_reader"],
  ["0004-retention", "daybook_owner"],
];

/** How many steps there are: what a store must have for this program to write to it. */
export const SCHEMA_VERSION: number = FILES.length;

/** The steps as they were released; refused where a file is another, as no store shall be made by it. */
export function migrations(from: URL = MIGRATIONS): Migration[] {
  const listed = readFileSync(new URL("SHA256SUMS", from), "utf8").split("\n");
  return FILES.map(([name, role]) => {
    const text = readFileSync(new URL(`${name}.sql`, from), "utf8");
    const checksum = createHash("sha256").update(text).digest("hex");
    if (!listed.includes(`${checksum}  ${name}.sql`))
      throw new DaybookError(`${name}.sql is not the file that was released`, {
        ...{ code: "refused", op: "read migrations", hint: "install Daybook anew: its files were changed" },
      });
    return { name, role, statements: statementsOf(text), checksum };
  });
}

/** Statements end with a semicolon before a blank line: those within the body of a function do not. */
export function statementsOf(text: string): string[] {
  return text
    .split(/;[ \t]*\n(?=\s*\n|\s*$)/)
    .map((part) => part.replaceAll(/^--.*\n/gm, "").trim())
    .filter((part) => part !== "");
}

/** What is said only in some stores stands in comments: `/*[postgres] … *\/` is part of the statement where `postgres` holds. */
export function spelledOut(statement: string, holds: ReadonlySet<string>): string {
  return statement.replaceAll(/\/\*\[(\w+)\](.*?)\*\//gs, (_, when: string, text: string) =>
    holds.has(when) ? text.trim() : "",
  );
}

/** The table that a statement makes in partitions, by its full name. */
export function partitionedTable(statement: string): string | null {
  return /^CREATE TABLE IF NOT EXISTS (daybook\.\w+)[^]*\/\*\[partitioned\]/.exec(statement)?.[1] ?? null;
}
