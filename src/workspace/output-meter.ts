import type { TurnDraft } from "../turns/model.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Adds up what the model wrote in each turn of one file, record by record. */
export interface OutputMeter {
  /** `turn` is the one whose span holds the line; null between turns. */
  add(record: Fields, turn: TurnDraft | null): void;
  /** Tokens of a turn; null when the file does not prove the number. */
  known(turn: TurnDraft, isLast: boolean): number | null;
}

export function asFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** A whole number from 0 on; anything else is no count. */
export function asCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
