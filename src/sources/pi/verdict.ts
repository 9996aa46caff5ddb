import type { Native } from "../kit/native.ts";
import type { Templates } from "../kit/templates.ts";
import type * as kit from "../kit/verdict.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

export type Verdict = kit.Verdict<Reason>;

export interface Scene extends kit.Scene<ReaderState> {
  record: Native;
  /** Equal in every copy of the record; the line stands in where the record has nothing of its own. */
  identity: string;
  time: number | null;
  /** Texts that commands stand for. */
  templates: Templates;
}
