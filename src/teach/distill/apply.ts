import { DaybookError } from "../../base/errors.ts";
import { changeJsonFile, type JsonObject } from "../json-file.ts";
import { setPreference, isPreference, type Writer } from "../preferences.ts";
import { stateFile, type State } from "../state.ts";
import { DIMENSIONS, readProposals } from "./proposals.ts";

const STEPS: Readonly<Record<string, number>> = { small: 0.05, medium: 0.1, large: 0.15 };
/** The value of a dimension that was never declared. */
const NEUTRAL = 0.5;

/** The proposal of that number. Throws when there is none, or it was applied already. */
export function openProposal(state: State, slug: string, index: number): JsonObject {
  const all = readProposals(state, slug);
  const proposal = all[index];
  if (!proposal)
    throw new DaybookError(`there is no proposal ${index}`, {
      code: "not_found",
      op: "apply proposal",
      hint: all.length === 0 ? "daybook decisions distill makes some" : `there are 0 to ${all.length - 1}`,
    });
  if (proposal["applied_at"] !== undefined)
    throw new DaybookError(`proposal ${index} was applied before`, { code: "refused", op: "apply proposal" });
  return proposal;
}

/** Applies a proposal and stamps it. Returns one line about the effect. */
export function applyProposal(state: State, slug: string, index: number, by: Writer, now: string): string {
  const proposal = openProposal(state, slug, index);
  const said = effectOf(proposal, state, slug, by, now);
  changeJsonFile(stateFile.proposals(state, slug), (file) => {
    const list = file["proposals"];
    if (!Array.isArray(list)) return;
    const at = list[index] as JsonObject;
    list[index] = { ...at, applied_at: now };
  });
  return said;
}

function effectOf(proposal: JsonObject, state: State, slug: string, by: Writer, now: string): string {
  const { kind, source_quotes: quotes } = proposal;
  if (kind === "preference") {
    const { question_id: id, preference } = proposal;
    if (typeof id !== "string" || typeof preference !== "string" || !isPreference(preference)) throw broken();
    const free_text = Array.isArray(quotes) ? quotes.join(" | ") : undefined;
    setPreference(state, slug, { question_id: id, preference, by, free_text }, now);
    return `${id}: ${preference}, in ${slug}`;
  }
  if (kind === "declared-nudge") return nudge(proposal, state, now);
  if (kind === "memory-nugget") {
    const { nugget, applies_to_signal_keys: keys } = proposal;
    if (typeof nugget !== "string") throw broken();
    changeJsonFile(stateFile.memory(state), (file) => {
      const held = file["nuggets"];
      const entry = { nugget, applies_to_signal_keys: Array.isArray(keys) ? keys : [], applied_at: now };
      file["nuggets"] = [
        ...(Array.isArray(held) ? (held as unknown[]) : []),
        { ...entry, source_quotes: quotes ?? [] },
      ];
    });
    return `remembered: ${nugget}`;
  }
  throw broken();
}

function nudge({ dimension, direction, magnitude }: JsonObject, state: State, now: string): string {
  const name = DIMENSIONS.find((one) => one === dimension);
  const step = typeof magnitude === "string" ? STEPS[magnitude] : undefined;
  if (!name || step === undefined || (direction !== "up" && direction !== "down")) throw broken();
  let said = "";
  changeJsonFile(stateFile.profile(state), (file) => {
    const held = file["declared"];
    const declared = typeof held === "object" && held !== null ? (held as JsonObject) : {};
    const before = typeof declared[name] === "number" ? declared[name] : NEUTRAL;
    const after = Number(Math.min(1, Math.max(0, before + (direction === "up" ? step : -step))).toFixed(3));
    file["declared"] = { ...declared, [name]: after };
    file["declared_at"] = now;
    said = `${name}: ${before} → ${after}`;
  });
  return said;
}

function broken(): DaybookError {
  return new DaybookError("the proposal is none that can be applied", { code: "refused", op: "apply proposal" });
}
