import type { Name, Span } from "./named.ts";
import { isSecretValue } from "./named.ts";
import { nameKind, type NameKind } from "./names.ts";
import { isLetterSoup } from "./letters.ts";
import { isRandom } from "./values.ts";

/**
 * Columns with the name of a secret: CSV, tabs, Markdown, the output of a database, `INSERT INTO … (…) VALUES (…)`; and
 * rows of a table whose first cell is such a name.
 */
const SEPARATORS = ["|", "│", "┃", "\t", ",", ";"];
const BARS = new Set(["|", "│", "┃"]);
const [MOST_LINES, LONGEST_LINE] = [500, 2000];

interface Line {
  start: number;
  end: number;
}

/** Null for a line too long for a table. */
function lineAround(text: string, at: number): Line | null {
  const from = Math.max(0, at - LONGEST_LINE);
  const back = text.slice(from, at).lastIndexOf("\n");
  const on = text.slice(at, at + LONGEST_LINE).indexOf("\n");
  if ((back === -1 && from > 0) || (on === -1 && at + LONGEST_LINE < text.length)) return null;
  return { start: from + back + 1, end: on === -1 ? text.length : at + on };
}

/** The cells of a line with their places, without spaces, quotes and marks around. */
function cellsOf(text: string, { start, end }: Line, separator: string): Line[] {
  const cells: Line[] = [];
  for (let from = start; from <= end;) {
    const next = text.indexOf(separator, from);
    const to = next === -1 || next > end ? end : next;
    cells.push(trimmed(text, from, to));
    from = to + 1;
  }
  return cells;
}

function trimmed(text: string, start: number, end: number): Line {
  let [from, to] = [start, end];
  while (from < to && /[\s"'`*_]/.test(text.charAt(from))) from++;
  while (to > from && /[\s"'`*_]/.test(text.charAt(to - 1))) to--;
  return { start: from, end: to };
}

/** The secrets in the table whose heading or first cell the name is; `end` is where the table ends. */
export function tableSecrets(text: string, name: Name): { found: Span[]; end: number } {
  const nothing = { found: [], end: 0 };
  const separator = separatorBeside(text, name);
  if (separator === undefined) return nothing;
  const head = lineAround(text, name.start);
  const kind = nameKind(name.text);
  if (!head || kind === null) return nothing;
  const cells = cellsOf(text, head, separator);
  const column = cells.findIndex(({ start, end }) => start <= name.start && end >= name.end);
  const cell = cells[column];
  if (!cell || cell.end - cell.start > name.end - name.start + 2) return nothing;
  // Lines of code have bars too: a table begins its lines with one, or has a rule below its heading.
  const isBarred = BARS.has(text.charAt(head.start)) || /^\s*[|│┃]/.test(text.slice(head.start, cells[1]?.start ?? 0));
  if (
    BARS.has(separator) &&
    !isBarred &&
    !/^\n[\s|+:=│┃─━┼╋├┤┌┐└┘═╪╞╡-]{3,400}(?:\n|$)/.test(text.slice(head.end, head.end + 400))
  )
    return nothing;
  const titles = cells.map(({ start, end }) => text.slice(start, end));
  // Borders of a table may be empty cells; a list that ends with a comma is no heading.
  const isHeading =
    titles.filter((title) => title !== "").length > 1 &&
    titles.every((title) => /^(?:[A-Za-z_][\w .-]{0,40})?$/.test(title) && (BARS.has(separator) || title !== ""));
  const isFirst = isHeading && !isRow(text, head.start - 1, separator, cells.length);
  const found = isFirst
    ? columnSecrets(text, head, { separator, column, count: cells.length, kind })
    : { found: [], end: 0 };
  if (found.found.length > 0 || !BARS.has(separator)) return found;
  // `| DB_PASSWORD | word | the database |`
  const next = cells[column + 1];
  const value = next ? text.slice(next.start, next.end) : "";
  return next && isBarred && value !== "" && isCell(value, kind)
    ? { found: [{ start: next.start, end: next.end, kind: "secret" }], end: next.end }
    : nothing;
}

/** True when the line that ends here has as many cells: then the next line is no heading. */
function isRow(text: string, end: number, separator: string, count: number): boolean {
  const line = end < 0 ? null : lineAround(text, end);
  return (
    line !== null &&
    cellsOf(text, line, separator).length === count &&
    !/^[\s|+:=│┃─━┼╋├┤┌┐└┘═╪╞╡-]*$/.test(text.slice(line.start, line.end))
  );
}

function isCell(value: string, kind: NameKind): boolean {
  if (kind !== "chosen") return isRandom(value) || isLetterSoup(value);
  return !/\s/.test(value) && isSecretValue(value, kind, "argument");
}

/** The separator after the name, or before it at the end of a line; spaces and marks may stand between. */
function separatorBeside(text: string, { start, end }: Name): string | undefined {
  const after = beside(text, end, 1);
  if (SEPARATORS.includes(after)) return after;
  const before = "\r\n".includes(after) ? beside(text, start - 1, -1) : "";
  return SEPARATORS.includes(before) ? before : undefined;
}

const AROUND_CELL = new Set(" \"'`*_");

/** The next character in this direction that is neither a space nor a mark; empty where there is none. */
function beside(text: string, from: number, step: 1 | -1): string {
  let at = from;
  while (Math.abs(at - from) < 40 && AROUND_CELL.has(text.charAt(at))) at += step;
  return AROUND_CELL.has(text.charAt(at)) ? "" : text.charAt(at);
}

interface Column {
  separator: string;
  column: number;
  count: number;
  kind: NameKind;
}

/** The cells below the heading, as long as lines have as many cells. */
function columnSecrets(
  text: string,
  head: Line,
  { separator, column, count, kind }: Column,
): { found: Span[]; end: number } {
  const found: Span[] = [];
  let end = head.end;
  for (let n = 0; n < MOST_LINES && end < text.length; n++) {
    const line = lineAround(text, end + 1);
    if (!line) break;
    const content = text.slice(line.start, line.end);
    // The rule between the heading and the rows.
    if (!/^[\s|+:=│┃─━┼╋├┤┌┐└┘═╪╞╡-]+$/.test(content)) {
      const cells = cellsOf(text, line, separator);
      const cell = cells[column];
      if (!cell || cells.length !== count) break;
      const value = text.slice(cell.start, cell.end);
      const isRaw = !BARS.has(separator) && kind === "chosen" && isSecretValue(value, kind, "quoted");
      if (isRaw || isCell(value, kind)) found.push({ ...cell, kind: "secret" });
    }
    end = line.end;
  }
  return { found, end: found.at(-1)?.end ?? 0 };
}

const INSERT =
  /insert\s{1,8}(?:ignore\s{1,8})?into\s{1,8}[\w."'`[\]]{1,80}\s{0,8}\((?<columns>[^()]{1,1000})\)\s{0,8}values\s{0,8}/iy;
const VALUES = /\((?:[^()'\n]|'(?:[^'\n]|''){0,1000}'|\([^()\n]{0,200}\)){1,4000}\)\s{0,8}(?:,\s{0,8}|;|$)/dy;
const VALUE = /\s*(?:'((?:[^']|'')*)'|"([^"]*)"|[^,'"()]+(?:\([^()]*\))?)\s*(?:,|(?=\))|$)/dy;

/** `INSERT INTO users (name, password) VALUES ('mira', '…')` */
export function insertSecrets(text: string, at: number): { found: Span[]; end: number } {
  INSERT.lastIndex = at;
  const columns = columnKinds(INSERT.exec(text)?.groups?.["columns"] ?? "");
  if (!columns.some((kind) => kind !== null)) return { found: [], end: 0 };
  const found: Span[] = [];
  VALUES.lastIndex = INSERT.lastIndex;
  let end = INSERT.lastIndex;
  for (let row = VALUES.exec(text); row; row = VALUES.exec(text)) {
    end = VALUES.lastIndex;
    found.push(...rowSecrets(text, row.index + 1, columns));
  }
  return { found, end };
}

/** The columns of the last statement: a dump repeats them thousands of times. */
let last: { columns: string; kinds: readonly (NameKind | null)[] } = { columns: "", kinds: [] };

function columnKinds(columns: string): readonly (NameKind | null)[] {
  if (last.columns !== columns)
    last = { columns, kinds: columns.split(",").map((name) => nameKind(name.replaceAll(/[\s"'`[\]]/g, ""))) };
  return last.kinds;
}

function rowSecrets(text: string, at: number, columns: readonly ReturnType<typeof nameKind>[]): Span[] {
  const found: Span[] = [];
  VALUE.lastIndex = at;
  for (const kind of columns) {
    const place = VALUE.exec(text)?.indices;
    if (!place) break;
    const cell = place[1] ?? place[2];
    if (kind && cell && isSecretValue(text.slice(...cell), kind, "quoted"))
      found.push({ start: cell[0], end: cell[1], kind: "secret" });
  }
  return found;
}
