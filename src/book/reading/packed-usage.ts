import { hash64 } from "../../base/io/hash.ts";
import { mergeStatements } from "../../record/merge-statements.ts";
import type { UsageEvent } from "../../turns/model.ts";

/** The responses of one file as numbers: cheap to transfer between threads. */
export interface PackedUsage {
  rows: Float64Array<ArrayBuffer>;
  models: string[];
}

const WIDTH = 13;

/** Packs responses; each must occur once. */
export function packUsage(events: readonly UsageEvent[]): PackedUsage {
  const rows = new Float64Array(events.length * WIDTH);
  const models: string[] = [];
  let at = 0;
  for (const event of events) {
    const [high, low] = hash64(event.response_id);
    rows[at] = event.time ?? Number.NaN;
    rows[at + 1] = high;
    rows[at + 2] = low;
    rows[at + 3] = modelIndex(models, event.model);
    rows[at + 4] = event.input_tokens;
    rows[at + 5] = event.cached_input_tokens;
    rows[at + 6] = event.cache_write_tokens;
    rows[at + 7] = event.cache_write_1h_tokens;
    rows[at + 8] = event.output_tokens;
    rows[at + 9] = event.reasoning_tokens;
    rows[at + 10] = event.named_by ?? Number.NaN;
    rows[at + 11] = event.copied ? 1 : 0;
    rows[at + 12] = event.cut ? 1 : 0;
    at += WIDTH;
  }
  return { rows, models };
}

function modelIndex(models: string[], model: string | null): number {
  if (model === null) return -1;
  const known = models.indexOf(model);
  return known === -1 ? models.push(model) - 1 : known;
}

export function rowsIn({ rows }: PackedUsage): number {
  return Math.floor(rows.length / WIDTH);
}

/** Distinguishes responses. It drops 11 of the 64 bits of the hash, so two ids rarely collide. */
export function idAt({ rows }: PackedUsage, row: number): number {
  return (rows[row * WIDTH + 1] as number) * 0x200000 + ((rows[row * WIDTH + 2] as number) >>> 11);
}

export function eventAt({ rows, models }: PackedUsage, row: number): UsageEvent {
  const at = row * WIDTH;
  const time = rows[at] as number;
  const namedBy = rows[at + 10] as number;
  const event: UsageEvent = {
    // Each response occurs once, so its id is not needed here.
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
  if (!Number.isNaN(namedBy)) event.named_by = namedBy;
  if (rows[at + 11] === 1) event.copied = true;
  if (rows[at + 12] === 1) event.cut = true;
  return event;
}

/** The responses of many files, each once, merged from all files that state it. */
export function unpackOnce(files: Iterable<PackedUsage>): Iterable<UsageEvent> {
  const responses = new Map<string, UsageEvent>();
  for (const packed of files) {
    for (let row = 0; row < rowsIn(packed); row++) {
      const id = `${packed.rows[row * WIDTH + 1]}/${packed.rows[row * WIDTH + 2]}`;
      const [known, event] = [responses.get(id), eventAt(packed, row)];
      responses.set(id, known ? mergeStatements(known, event) : event);
    }
  }
  return responses.values();
}
