import { plain } from "../text/inert.ts";
import type { ExportFormat } from "./format.ts";
import { chosenTables, rowsOf, TABLE_NAMES, type Cell, type CellType, type Table } from "./tables.ts";

/** Tables as RFC 4180 has them but for line ends, which are line feeds; one file each. */
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

/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r\n|%＝＋－＠]/u;

/** Session text is hostile: nothing in a cell is to be run by whoever opens the file, or act on a terminal that shows it. */
function inert(text: string): string {
  const shown = plain(text);
  return FORMULA.test(shown) ? `'${shown}` : shown;
}
