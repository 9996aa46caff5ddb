import { hash64 } from "../io/hash.ts";
import type { UsageBody } from "../log/record.ts";
import type { UsageEvent } from "../turns/model.ts";

/** Counted responses of one file as numbers: cheap to hand from thread to thread. */
export interface PackedUsage {
  rows: Float64Array;
  models: string[];
}

const WIDTH = 10;

/** Collects the responses of one file. A response stated again replaces the earlier statement. */
export class UsagePacker {
  readonly #numbers: number[] = [];
  readonly #models: string[] = [];
  readonly #at = new Map<string, number>();

  add(usage: UsageBody | UsageEvent, time: number | null): void {
    const known = this.#at.get(usage.response_id);
    const at = known ?? this.#numbers.length;
    // The first statement says when it was spent; a late partial copy never lowers what a complete one stated.
    const when = known === undefined ? (time ?? Number.NaN) : (this.#numbers[at] ?? Number.NaN);
    if (known !== undefined && this.#total(at) > total(usage)) return;
    this.#at.set(usage.response_id, at);
    const [high, low] = hash64(usage.response_id);
    const n = this.#numbers;
    n[at] = when;
    n[at + 1] = high;
    n[at + 2] = low;
    n[at + 3] = this.#model(usage.model);
    n[at + 4] = usage.input_tokens;
    n[at + 5] = usage.cached_input_tokens;
    n[at + 6] = usage.cache_write_tokens;
    n[at + 7] = usage.cache_write_1h_tokens;
    n[at + 8] = usage.output_tokens;
    n[at + 9] = usage.reasoning_tokens;
  }

  pack(): PackedUsage {
    return { rows: Float64Array.from(this.#numbers), models: this.#models };
  }

  #total(at: number): number {
    const n = this.#numbers;
    return (n[at + 4] ?? 0) + (n[at + 5] ?? 0) + (n[at + 6] ?? 0) + (n[at + 8] ?? 0);
  }

  #model(model: string | null): number {
    if (model === null) return -1;
    const known = this.#models.indexOf(model);
    return known === -1 ? this.#models.push(model) - 1 : known;
  }
}

function total(usage: UsageBody | UsageEvent): number {
  return usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens + usage.output_tokens;
}

export function rowsIn({ rows }: PackedUsage): number {
  return Math.floor(rows.length / WIDTH);
}

/** Tells responses apart, but for two in a million million. */
export function idAt({ rows }: PackedUsage, row: number): number {
  return (rows[row * WIDTH + 1] as number) * 0x200000 + ((rows[row * WIDTH + 2] as number) >>> 11);
}

export function eventAt({ rows, models }: PackedUsage, row: number): UsageEvent {
  const at = row * WIDTH;
  const time = rows[at] as number;
  return {
    // Each is here once; nobody asks for its name.
    response_id: "",
    model: models[rows[at + 3] as number] ?? null,
    time: Number.isNaN(time) ? null : time,
    line: 0,
    turn: null,
    input_tokens: rows[at + 4] as number,
    cached_input_tokens: rows[at + 5] as number,
    cache_write_tokens: rows[at + 6] as number,
    cache_write_1h_tokens: rows[at + 7] as number,
    output_tokens: rows[at + 8] as number,
    reasoning_tokens: rows[at + 9] as number,
  };
}

/** The responses of many files, each once: the first file that holds a response keeps it. */
export function* unpackOnce(files: Iterable<PackedUsage>): Generator<UsageEvent, void, undefined> {
  const seen = new Set<string>();
  for (const packed of files) {
    for (let row = 0; row < rowsIn(packed); row++) {
      const id = `${packed.rows[row * WIDTH + 1]}/${packed.rows[row * WIDTH + 2]}`;
      if (seen.has(id)) continue;
      seen.add(id);
      yield eventAt(packed, row);
    }
  }
}
