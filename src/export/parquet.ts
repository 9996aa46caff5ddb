import { parquetWriteBuffer } from "hyparquet-writer/src/index.js";
import type { BasicType } from "hyparquet-writer";
import type { Zone } from "../time/zone.ts";
import type { ExportFormat, ExportOptions } from "./format.ts";
import { chosenTables, rowsOf, TABLE_NAMES, type Cell, type CellType, type Table } from "./tables.ts";
import { writeWhole } from "./target.ts";

/** Characters of rows that wait to be written, about; then each day's become a file of their own. */
const MOST = 16_000_000;
/** What a row takes beside its texts. */
const ROW = 400;

/** Where rows without a time are, as Hive has it. Readers give them no day. */
const NO_DAY = "__HIVE_DEFAULT_PARTITION__";
const PART = /^part-\d+\.parquet$/;

/** Tables in directories by day, as Hive lays them out: `usage/day=2026-05-12/part-0000.parquet`. */
export const parquet: ExportFormat = {
  needs: "rows",
  printed: { most: "nothing", as: "document" },
  tables: TABLE_NAMES,
  begin: (options) => {
    const chosen = chosenTables(options.tables);
    const waiting = new Days(options);
    return {
      async add(session) {
        for (const { table, rows } of rowsOf(chosen, session, options.hide))
          for (const row of rows) waiting.put(table, row);
        if (waiting.size > MOST) await waiting.write();
      },
      end: () => waiting.write(),
    };
  },
};

interface Partition {
  table: Table;
  /** A list of cells for each column. */
  columns: Cell[][];
}

/** Rows by table and day until there are enough of them. */
class Days {
  readonly #target: ExportOptions["target"];
  readonly #zone: Zone;
  /** Files there are of each directory. */
  readonly #parts = new Map<string, number>();
  #partitions = new Map<string, Partition>();
  #size = 0;

  constructor({ target, zone }: ExportOptions) {
    this.#target = target;
    this.#zone = zone;
  }

  get size(): number {
    return this.#size;
  }

  put(table: Table, row: unknown): void {
    const cells = table.columns.map(({ of }) => of(row));
    const time = cells[table.columns.findIndex(({ name }) => name === table.day)];
    const day = typeof time === "string" ? this.#zone.day(Date.parse(time)) : NO_DAY;
    const dir = `${table.name}/day=${day}`;
    let partition = this.#partitions.get(dir);
    if (!partition) this.#partitions.set(dir, (partition = { table, columns: table.columns.map(() => []) }));
    for (const [i, cell] of cells.entries()) {
      partition.columns[i]?.push(cell);
      if (typeof cell === "string") this.#size += cell.length;
    }
    this.#size += ROW;
  }

  async write(): Promise<void> {
    for (const [dir, { table, columns }] of this.#partitions) {
      const part = this.#parts.get(dir) ?? 0;
      // Parts of an earlier export would be counted with these.
      if (part === 0) this.#target.replace(dir, PART);
      this.#parts.set(dir, part + 1);
      const bytes = fileOf(table, columns);
      await writeWhole(this.#target, `${dir}/part-${String(part).padStart(4, "0")}.parquet`, (file) =>
        file.write(bytes),
      );
    }
    this.#partitions = new Map();
    this.#size = 0;
  }
}

const TYPES: Readonly<Record<CellType, BasicType>> = {
  ...{ text: "STRING", json: "STRING", integer: "INT64", number: "DOUBLE", boolean: "BOOLEAN", time: "TIMESTAMP" },
};

function fileOf({ columns }: Table, cells: readonly Cell[][]): Uint8Array {
  const columnData = columns.map(({ name, type }, i) => ({
    ...{ name, type: TYPES[type], nullable: true },
    data: (cells[i] ?? []).map((cell) => valueOf(cell, type)),
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

function valueOf(cell: Cell, type: CellType): unknown {
  if (cell === null) return null;
  // Sessions state what they like: a whole number is what the column holds.
  if (type === "integer") return typeof cell === "number" ? BigInt(Math.round(cell)) : cell;
  return type === "time" ? new Date(String(cell)) : cell;
}
