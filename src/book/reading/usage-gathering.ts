import { addTokens } from "../../record/tokens.ts";
import { addCost, type KnownCost } from "../../views/pricing/cost.ts";
import { QUARTER } from "../../base/time/zone.ts";
import type { UsageEvent } from "../../turns/model.ts";
import { FirstPlaces } from "./first-places.ts";
import { eventAt, idAt, rowsIn, unpackOnce, type PackedUsage } from "./packed-usage.ts";

/**
 * Responses of one model summed over a quarter of an hour, which divides the days of every time zone; or a single
 * response.
 */
export interface UsageGroup {
  event: UsageEvent;
  /** Null when no response has a price. */
  cost: KnownCost | null;
}

/** The cost of one response; null when it has no price. */
export type CostOf = (event: UsageEvent) => KnownCost | null;

/**
 * Collects the responses of many files of one source, in any order. A response that occurs in several files is merged
 * from all of them; few files share any, so the others are summed while the rest is still being read.
 */
export class UsageGathering {
  readonly #costOf: CostOf;
  readonly #files = new Map<number, { packed: PackedUsage; groups: UsageGroup[] }>();
  /** In which file a response was first seen. A hash collision only costs an unnecessary merge. */
  readonly #firsts = new FirstPlaces();
  readonly #shared = new Set<number>();

  constructor(costOf: CostOf) {
    this.#costOf = costOf;
  }

  /** `place`: index of the file among all files. */
  take(place: number, packed: PackedUsage): void {
    for (let row = 0; row < rowsIn(packed); row++) {
      const first = this.#firsts.firstPlaceOf(idAt(packed, row), place);
      if (first !== place) {
        this.#shared.add(first);
        this.#shared.add(place);
      }
    }
    this.#files.set(place, { packed, groups: this.#groupsOf(packed) });
  }

  *groups(): Generator<UsageGroup, void, undefined> {
    for (const [place, { groups: byKey }] of this.#files) if (!this.#shared.has(place)) yield* byKey;
    const sharing = [...this.#shared].flatMap((place) => this.#files.get(place)?.packed ?? []);
    for (const event of unpackOnce(sharing)) if (!event.copied) yield { event, cost: this.#costOf(event) };
  }

  #groupsOf(packed: PackedUsage): UsageGroup[] {
    const byKey = new Map<string, UsageGroup>();
    let group: UsageGroup | undefined;
    for (let row = 0; row < rowsIn(packed); row++) {
      const event = eventAt(packed, row);
      if (event.copied) continue;
      const time = event.time === null ? null : Math.floor(event.time / QUARTER) * QUARTER;
      const cost = this.#costOf(event);
      // Most responses have the same quarter and model as the one before.
      if (group === undefined || group.event.time !== time || group.event.model !== event.model) {
        const key = `${time} ${event.model ?? ""}`;
        group = byKey.get(key);
        if (group === undefined) {
          byKey.set(key, (group = { event: { ...event, time }, cost }));
          continue;
        }
      }
      addTokens(group.event, event);
      group.cost = addCost(group.cost, cost);
    }
    return [...byKey.values()];
  }
}
