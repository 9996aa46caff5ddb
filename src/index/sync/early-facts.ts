import { iso } from "../../base/time/zone.ts";
import { SCHEMA_VERSION } from "../../record/record.ts";
import type { Entry, SourceRef } from "../../agents/contract.ts";
import type { DraftBuilder } from "../../turns/builder.ts";
import type { DecisionPlace } from "../../turns/decisions/model.ts";
import type { FileDraft, TurnDraft } from "../../turns/model.ts";
import { turnRef, type Session } from "../../turns/session.ts";
import { isNeeded, RecordFactsCollector } from "../../views/facts/record-facts.ts";
import { lineOwners } from "../../views/recorded.ts";
import { packText } from "../tables/packed-text.ts";

/**
 * Collects what reports need of a file's records while the file is read the first time: the records are in memory then,
 * and the first report needs not read the whole book again. Gives nothing up front where that may differ from what the
 * assembled session will say; then the first report that needs it reads the records.
 */
export class EarlyFacts {
  readonly #source: SourceRef["source"];
  readonly #builder: DraftBuilder;
  #place: DecisionPlace | null = null;
  #collector: RecordFactsCollector | null = null;
  /** Names of the turns by their index; undefined for turns an agent requested. */
  readonly #names: (string | undefined)[] = [];
  #human = 0;
  /** Lines that were taken, each with the turn that owned it at that time. */
  readonly #lines: number[] = [];
  readonly #owners: (number | null)[] = [];
  #seq = 0;

  constructor({ source }: SourceRef, builder: DraftBuilder) {
    this.#source = source;
    this.#builder = builder;
  }

  /** `owner`: index of the turn that owns the entry as far as is known now. */
  take({ line, time, records }: Entry, owner: number | null): void {
    if (!records.some(isNeeded)) return;
    const collector = (this.#collector ??= new RecordFactsCollector((this.#place = this.#currentPlace())));
    const name = owner === null ? undefined : this.#nameOf(owner);
    const session_id = this.#place?.session_id ?? "";
    this.#lines.push(line);
    this.#owners.push(owner);
    const [at, origin] = [iso(time), { line }];
    for (const record of records) {
      if (!isNeeded(record)) continue;
      const seq = this.#seq++;
      // One copy in one step: building it from several parts took as long as what is found in it.
      const schema_version = SCHEMA_VERSION;
      if (name === undefined) collector.take({ ...record, schema_version, seq, time: at, session_id, origin });
      else collector.take({ ...record, schema_version, seq, time: at, session_id, origin, turn_id: name });
    }
  }

  /** What was found, packed as it is stored. Null if what was assumed while reading turned out otherwise. */
  finish(turns: readonly TurnDraft[]): Uint8Array | null {
    const isAsAssumed = this.#place === null || isSamePlace(this.#place, this.#currentPlace());
    if (!isAsAssumed || !this.#areOwners(turns)) return null;
    return packText(JSON.stringify(this.#collector?.finish() ?? { turns: [], asked: [] }));
  }

  /** Whether every line belongs to the turn that owned it when it was read. */
  #areOwners(turns: readonly TurnDraft[]): boolean {
    const ownerOf = lineOwners(turns);
    return this.#lines.every((line, i) => (ownerOf(line)?.index ?? null) === this.#owners[i]);
  }

  #currentPlace(): DecisionPlace {
    const { session_id, meta } = this.#builder.summary;
    // The project is not known yet; whoever reads the facts adds it.
    return { source: this.#source, session_id, cwd: meta.cwd, kind: meta.kind, project: "" };
  }

  #nameOf(turn: number): string | undefined {
    for (let i = this.#names.length; i <= turn; i++)
      this.#names.push(this.#builder.lists.turns.at(i)?.draft.delegated === true ? undefined : turnRef(this.#human++));
    return this.#names[turn];
  }
}

/** Whether the session is what a reader of its only file saw: else other files have a say in what belongs to it. */
export function isOfOneFile({ parts, turns }: Session): boolean {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 && only.inherited_from === null && areItsTurns(only, turns);
}

function areItsTurns(file: FileDraft, turns: Session["turns"]): boolean {
  const human = file.turns.filter(({ delegated }) => !delegated);
  return human.length === turns.length && turns.every(({ draft }, i) => draft.index === human[i]?.index);
}

function isSamePlace(a: DecisionPlace, b: DecisionPlace): boolean {
  return a.session_id === b.session_id && a.cwd === b.cwd && a.kind === b.kind;
}
