import { join } from "node:path";
import type { RecordedPart, Recording } from "../views/recorded.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { ToolFinishedBody } from "../record/record.ts";
import { sessionKey } from "../record/session-key.ts";
import type { Entry } from "../agents/contract.ts";
import type { Assembly } from "../turns/assemble.ts";
import { withInherited } from "../turns/inherited.ts";
import type { LineRuns } from "../turns/model.ts";
import type { IndexOrigin } from "./origin.ts";
import { readPage } from "../book/pages/page-reader.ts";
import { outputsAt } from "./search/output-texts.ts";
import { bookTexts, type TextStore } from "./search/search.ts";
import { assembleAll, assembleSome } from "./sync/drafts.ts";
import { parseRow } from "./tables/damaged-index.ts";
import type { IndexStore } from "./tables/index-store.ts";
import type { StoredPart } from "./tables/session-rows.ts";

/** An index of the book: records are in its pages. */
export class BookOrigin implements IndexOrigin {
  readonly #store: IndexStore;

  constructor(store: IndexStore) {
    this.#store = store;
  }

  texts(): TextStore {
    return bookTexts(this.#store);
  }

  recordedSession({ source, session_id, cwd, kind }: SessionView): Recording | null {
    const key = sessionKey({ source, session_id });
    const row = this.#store.get("SELECT parts FROM session_detail WHERE session = ?", key);
    if (!row) return null;
    const turns = this.#owners(key);
    const parts = (parseRow(row["parts"]) as StoredPart[]).map(({ path, page, inherited }, place) => ({
      path,
      turns: turns.get(place) ?? [],
      entries: (): Iterable<Entry> => {
        const entries = readPage(join(this.#store.home, page)).entries();
        return inherited ? withInherited(entries, new Set(inherited)) : entries;
      },
    }));
    return { source, session_id, cwd, kind, parts };
  }

  /** The turns of each part, with the lines they own. */
  #owners(key: string): Map<number, RecordedPart["turns"]> {
    const rows = this.#store.all(
      `SELECT t.ref, t.part, t.lines, coalesce(a.rule, a.loop) AS rule, a.typed FROM turn t
       LEFT JOIN prompt a ON a.session = t.session AND a.ref = t.ref WHERE t.session = ?`,
      key,
    );
    const byPart = new Map<number, RecordedPart["turns"]>();
    for (const { ref, part, lines, rule, typed } of rows) {
      const turns = byPart.get(Number(part)) ?? [];
      turns.push({
        ref: String(ref),
        lines: parseRow(lines) as LineRuns,
        ...(typeof rule === "string" ? { automated: rule } : {}),
        ...(typeof typed === "string" ? { typed } : {}),
      });
      byPart.set(Number(part), turns);
    }
    return byPart;
  }

  outputs(calls: readonly ToolView[]): ToolFinishedBody[] {
    return outputsAt(this.#store, calls);
  }

  assemble(keys: readonly string[] | null, scope: ReadonlySet<string> | null): Assembly {
    return keys === null ? assembleAll(this.#store, scope) : assembleSome(this.#store, keys, scope);
  }
}
