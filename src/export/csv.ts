import { plain } from "../base/text/inert.ts";
import type { ExportFormat } from "./format.ts";
import { chosenTables, rowsOf, TABLE_NAMES, type Cell, type CellType, type Table } from "./tables.ts";

/** Tables as in RFC 4180, except that lines end with line feeds; one file each. */
export const csv: ExportFormat = {
  needs: "rows",
  printed: { most: "table", as: "document" },
  tables: TABLE_NAMES,
  begin: ({ target, hide, tables }) => {
    const chosen = chosenTables(tables);
    const names = chosen.map(({ name }) => `${name}.csv`);
    target.claim(names);
    const files = new Map(chosen.map(({ name }) => [name, target.open(`${name}.csv`)]));
    for (const { name, columns } of chosen) files.get(name)?.write(line(columns.map((column) => column.name)));
    return {
      add(session) {
        for (const { table, rows } of rowsOf(chosen, session, hide))
          for (const row of rows) files.get(table.name)?.write(line(cellsOf(table, row)));
      },
      end() {
        for (const file of files.values()) file.close();
      },
    };
  },
};

function cellsOf({ columns }: Table, row: unknown): string[] {
  return columns.map(({ type, of }) => cell(of(row), type));
}

function line(cells: readonly string[]): string {
  return `${cells.join(",")}\n`;
}

function cell(value: Cell, type: CellType): string {
  if (value === null) return "";
  if (type !== "text" && type !== "json") return String(value);
  return `"${inert(String(value)).replaceAll('"', '""')}"`;
}

/** Characters a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r\n|%＝＋－＠]/u;

/**
 * Session text is untrusted: a cell must not run as a formula in a spreadsheet, or control a terminal that shows it.
 */
function inert(text: string): string {
  const shown = plain(text);
  return FORMULA.test(shown) ? `'${shown}` : shown;
}
