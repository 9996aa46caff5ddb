import type { IndexStore } from "./index-store.ts";

/** What the rows of a session are written to: an index, or a draft of rows made without one (`drafted-rows.ts`). */
export type RowStore = Pick<IndexStore, "home" | "all" | "get" | "run" | "meta" | "setMeta">;
