import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appendLines } from "./append-lines.ts";
import { isIntact, objectWithChecksum } from "./checksum.ts";
import type { PageHead } from "./page-format.ts";
import { moveOver } from "../../base/io/move-over.ts";

/** Its path in the home. */
const LIST = "book/pages.jsonl";

/**
 * All pages of the book, each with its head: a page whose files are lost would otherwise be missed by nobody. Only grows,
 * except when sessions are forgotten. Needs the home's lock to be changed.
 */
export class PageList {
  static readonly path: string = LIST;
  readonly heads: ReadonlyMap<string, PageHead>;
  /** Some rows are not as they were written. */
  readonly isDamaged: boolean;
  readonly #path: string;

  constructor(home: string) {
    this.#path = join(home, LIST);
    const heads = new Map<string, PageHead>();
    let isDamaged = false;
    const lines = textAt(this.#path).split("\n");
    for (const [i, line] of lines.entries()) {
      // The last row of a process that was killed may be cut short.
      if (line === "" || i === lines.length - 1) continue;
      const row = isIntact(line) === true ? (JSON.parse(line) as { page: string; head: PageHead }) : null;
      if (row) heads.set(row.page, row.head);
      else isDamaged = true;
    }
    this.heads = heads;
    this.isDamaged = isDamaged;
  }

  /** Appends those that are not listed yet. */
  add(pages: ReadonlyMap<string, PageHead>): void {
    const rows = [...pages].filter(([page]) => !this.heads.has(page));
    if (rows.length > 0) appendLines(this.#path, rows.map(rowOf).join(""));
  }

  /** Writes the list anew: after damage, or without forgotten pages. */
  replace(pages: ReadonlyMap<string, PageHead>): void {
    const fresh = `${this.#path}.new`;
    rmSync(fresh, { force: true });
    writeFileSync(fresh, [...pages].map(rowOf).join(""), { mode: 0o600 });
    moveOver(fresh, this.#path);
  }

  remove(gone: ReadonlySet<string>): void {
    if ([...gone].some((page) => this.heads.has(page)))
      this.replace(new Map([...this.heads].filter(([page]) => !gone.has(page))));
  }
}

function rowOf([page, head]: readonly [string, PageHead]): string {
  return objectWithChecksum({ page, head });
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
