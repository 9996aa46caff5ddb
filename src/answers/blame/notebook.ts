import type { NotebookEdit } from "../../agents/contract.ts";

/** The notebook file after the change, written anew as a whole; null when it is no notebook or has no such cell. */
export function notebookAfter(lines: readonly string[], edit: NotebookEdit): string[] | null {
  const book = parsed(lines.join("\n"));
  const cells = book?.["cells"];
  if (!Array.isArray(cells)) return null;
  const at = placeOf(cells, edit.cell);
  if (edit.how === "insert") {
    if (edit.cell !== null && at === -1) return null;
    // The id of a new cell is generated and not known.
    cells.splice(at + 1, 0, newCell(edit));
  } else {
    const cell: unknown = cells[at];
    if (!isObject(cell)) return null;
    if (edit.how === "delete") cells.splice(at, 1);
    else change(cell, edit);
  }
  return JSON.stringify(book, null, 1).split("\n");
}

function change(cell: Record<string, unknown>, { source, type }: NotebookEdit): void {
  cell["source"] = source;
  if (cell["cell_type"] === "code") Object.assign(cell, { execution_count: null, outputs: [] });
  if (type !== null) cell["cell_type"] = type;
}

function newCell({ type, source }: NotebookEdit): Record<string, unknown> {
  const made = { cell_type: type ?? "code", id: "", source, metadata: {} };
  return type === "markdown" ? made : { ...made, execution_count: null, outputs: [] };
}

/** The index of a cell, by its id or, where it has none, by its number: `cell-3`. */
function placeOf(cells: readonly unknown[], name: string | null): number {
  const at = cells.findIndex((cell) => isObject(cell) && cell["id"] === name);
  const number = /^cell-(\d{1,6})$/.exec(name ?? "")?.[1];
  return at === -1 && number !== undefined && Number(number) < cells.length ? Number(number) : at;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
