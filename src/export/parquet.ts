import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer/src/index.js";
import type { BasicType } from "hyparquet-writer";
import type { Zone } from "../base/time/zone.ts";
import { getOrAdd } from "../base/maps.ts";
import type { ExportFormat, ExportOptions, Target, Writer } from "./format.ts";
import { chosenTables, rowsOf, TABLE_NAMES, type Cell, type CellType, type Table } from "./tables.ts";

/** Approximate number of characters buffered; then the rows of each day become a row group of its file. */
const MAX_BUFFERED = 16_000_000;
/** Approximate size of a row without its texts. */
const ROW = 400;

/** Hive's name for the partition of rows without a day. Readers treat it as null. */
const NO_DAY = "__HIVE_DEFAULT_PARTITION__";
/**
 * One file per day, so that a day is replaced in one step. Other parts come from earlier versions or other programs.
 */
const FILE = "part-0000.parquet";
const PART = /^part-\d+\.parquet$/;

/** Tables partitioned by day, in Hive's layout: `usage/day=2026-05-12/part-0000.parquet`. */
export const parquet: ExportFormat = {
  needs: "rows",
  printed: { most: "nothing", as: "document" },
  tables: TABLE_NAMES,
  begin: (options) => {
    const chosen = chosenTables(options.tables);
    const days = new Days(options);
    return {
      add(session) {
        for (const { table, rows } of rowsOf(chosen, session, options.hide))
          for (const row of rows) days.put(table, row);
        if (days.size > MAX_BUFFERED) days.write();
      },
      end: () => days.finish(),
    };
  },
};

interface Partition {
  table: Table;
  /** The cells of each column. */
  columns: Cell[][];
}

/** Buffers rows by table and day. */
class Days {
  readonly #target: Target;
  readonly #zone: Zone;
  readonly #files = new Map<string, PartitionFile>();
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
    const dir = `${table.name}/day=${this.#dayOf(cells[table.columns.findIndex(({ name }) => name === table.day)])}`;
    const partition = getOrAdd(this.#partitions, dir, () => ({ table, columns: table.columns.map(() => []) }));
    for (const [i, cell] of cells.entries()) {
      partition.columns[i]?.push(cell);
      if (typeof cell === "string") this.#size += cell.length;
    }
    this.#size += ROW;
  }

  write(): void {
    for (const [dir, { table, columns }] of this.#partitions) {
      let file = this.#files.get(dir);
      // Part files of an earlier export would be counted together with this one.
      if (!file) {
        this.#target.replace(dir, PART);
        this.#files.set(dir, (file = new PartitionFile(table, this.#target.open(`${dir}/${FILE}`))));
      }
      file.write(columns);
    }
    this.#partitions = new Map();
    this.#size = 0;
  }

  finish(): void {
    this.write();
    for (const file of this.#files.values()) file.finish();
  }

  #dayOf(time: Cell | undefined): string {
    return typeof time === "string" ? this.#zone.day(Date.parse(time)) : NO_DAY;
  }
}

const TYPES: Readonly<Record<CellType, BasicType>> = {
  text: "STRING",
  json: "STRING",
  integer: "INT64",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  time: "TIMESTAMP",
};

/** One day of one table, row group by row group. Written rows are not kept in memory. */
class PartitionFile {
  readonly #table: Table;
  readonly #file: Writer;
  readonly #parquet: ParquetWriter;

  constructor(table: Table, file: Writer) {
    this.#table = table;
    this.#file = file;
    const columnData = table.columns.map(({ name, type }) => ({ name, type: TYPES[type], nullable: true, data: [] }));
    this.#parquet = new ParquetWriter({ writer: new ByteWriter(), schema: schemaFromColumnData({ columnData }) });
  }

  write(cells: readonly Cell[][]): void {
    const columnData = this.#table.columns.map(({ name, type }, i) => ({
      name,
      data: (cells[i] ?? []).map((cell) => valueOf(cell, type)),
    }));
    // Synchronous here: it is asynchronous only if the underlying writer is.
    void this.#parquet.write({ columnData, rowGroupSize: columnData[0]?.data.length ?? 0 });
    this.#limitBounds(cells);
    this.#flush();
  }

  finish(): void {
    void this.#parquet.finish();
    this.#flush();
    this.#file.close();
  }

  /**
   * Readers skip row groups by the minimum and maximum of a column. For texts these are compared as UTF-8, but
   * computed here by UTF-16 order, which differs for characters beyond the first 65,536: no bound is better than a
   * wrong one. Long texts are not worth storing as bounds either.
   */
  #limitBounds(cells: readonly Cell[][]): void {
    for (const [i, { meta_data }] of (this.#parquet.row_groups.at(-1)?.columns ?? []).entries()) {
      const { statistics } = meta_data ?? {};
      const { min_value: least, max_value: most } = statistics ?? {};
      if (!statistics || typeof least !== "string" || typeof most !== "string") continue;
      const isShort = least.length <= LONGEST_BOUND && most.length <= LONGEST_BOUND;
      if (isShort && !cells[i]?.some((cell) => typeof cell === "string" && SURROGATE.test(cell))) continue;
      delete statistics.min_value;
      delete statistics.max_value;
    }
  }

  #flush(): void {
    const { writer } = this.#parquet;
    this.#file.write(writer.getBytes());
    this.#file.flush();
    // Buffers grow and never shrink, and there is one for every day.
    this.#parquet.writer = Object.assign(new ByteWriter(), { offset: writer.offset });
  }
}

/** In characters. */
const LONGEST_BOUND = 64;
const SURROGATE = /[\ud800-\udfff]/;

function valueOf(cell: Cell, type: CellType): unknown {
  if (cell === null) return null;
  if (type === "integer" && typeof cell === "number") return wholeOf(cell);
  return type === "time" ? new Date(String(cell)) : cell;
}

/** Sessions may state any number: what does not fit into 64 bits becomes null. */
function wholeOf(cell: number): bigint | null {
  return Math.abs(cell) < 2 ** 63 ? BigInt(Math.round(cell)) : null;
}
