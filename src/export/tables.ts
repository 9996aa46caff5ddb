import { costOfPico } from "../views/pricing/cost.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { CountedResponse } from "../views/response.ts";
import type { UsageView } from "../views/usage-sum.ts";
import type { Exported } from "../answers/daybook.ts";
import { iso } from "../base/time/zone.ts";
import { unicodeJson } from "./format.ts";

/** `time` is ISO 8601 in UTC, `json` is a value as JSON text. */
export type CellType = "text" | "integer" | "number" | "boolean" | "time" | "json";
export type Cell = string | number | bigint | boolean | null;

export interface Column<Row> {
  name: string;
  type: CellType;
  of: (row: Row) => Cell;
}

/** Rows of one kind. */
export interface Table<Row = unknown> {
  name: string;
  columns: readonly Column<Row>[];
  /** The column that determines the day of a row. */
  day: string;
  rows: (session: Exported) => readonly Row[];
}

type Columns<Row> = readonly [name: string, type: CellType, of: (row: Row) => Cell][];

function table<Row>(name: string, day: string, rows: Table<Row>["rows"], columns: Columns<Row>): Table<Row> {
  return { name, day, rows, columns: columns.map(([title, type, of]) => ({ name: title, type, of })) };
}

const json = (value: unknown): string | null => (value === null || value === undefined ? null : unicodeJson(value));

/** An empty list is written as null. */
const list = (values: readonly unknown[]): string | null => (values.length === 0 ? null : json(values));

function counted<Row>(of: (row: Row) => UsageView): Columns<Row> {
  return [
    ["input_tokens", "integer", (row) => of(row).input_tokens],
    ["cached_input_tokens", "integer", (row) => of(row).cached_input_tokens],
    ["cache_write_tokens", "integer", (row) => of(row).cache_write_tokens],
    ["output_tokens", "integer", (row) => of(row).output_tokens],
    ["reasoning_tokens", "integer", (row) => of(row).reasoning_tokens],
    ["cost_usd", "number", (row) => of(row).cost_usd],
    ["unpriced_models", "json", (row) => list(of(row).unpriced_models)],
    ["models", "json", (row) => list(of(row).models)],
  ];
}

function calls<Row extends Pick<SessionView, "tools">>(): Columns<Row> {
  return [
    ["tools_total", "integer", ({ tools }) => tools.total],
    ["tools_ok", "integer", ({ tools }) => tools.ok],
    ["tools_failed", "integer", ({ tools }) => tools.failed],
    ["tools_interrupted", "integer", ({ tools }) => tools.interrupted],
    ["tools_denied", "integer", ({ tools }) => tools.denied],
    ["tools_pending", "integer", ({ tools }) => tools.pending],
  ];
}

const sessions = table<SessionView>("sessions", "started_at", ({ view }) => [view], [
  ["source", "text", ({ source }) => source],
  ["session_id", "text", ({ session_id }) => session_id],
  ["kind", "text", ({ kind }) => kind],
  ["role", "text", ({ role }) => role],
  ["project", "text", ({ project }) => project],
  ["project_key", "text", ({ project_key }) => project_key],
  ["cwd", "text", ({ cwd }) => cwd],
  ["title", "text", ({ title }) => title],
  ["title_source", "text", ({ title_source }) => title_source],
  ["started_at", "time", ({ started_at }) => started_at],
  ["ended_at", "time", ({ ended_at }) => ended_at],
  ["agent_version", "text", ({ agent_version }) => agent_version],
  ["parent_source", "text", ({ parent }) => parent?.source ?? null],
  ["parent_session_id", "text", ({ parent }) => parent?.session_id ?? null],
  ["parent_turn", "text", ({ parent_turn }) => parent_turn],
  ["forked_from", "text", ({ forked_from }) => forked_from],
  ["turns", "integer", ({ turns }) => turns],
  ...calls<SessionView>(),
  ...counted<SessionView>(({ usage }) => usage),
  ["corrupt_lines", "integer", ({ diagnostics }) => diagnostics?.corrupt_lines ?? null],
  ["unknown_records", "integer", ({ diagnostics }) => diagnostics?.unknown_records ?? null],
  ["marks", "json", ({ marks }) => json(marks)],
  ["session_path", "text", ({ session_path }) => session_path],
]);

const turns = table<TurnView>("turns", "time", ({ turns: all }) => all(), [
  ["source", "text", ({ source }) => source],
  ["session_id", "text", ({ session_id }) => session_id],
  ["turn_ref", "text", ({ turn_ref }) => turn_ref],
  ["project", "text", ({ project }) => project],
  ["project_key", "text", ({ project_key }) => project_key],
  ["cwd", "text", ({ cwd }) => cwd],
  ["time", "time", ({ trigger }) => trigger.time],
  ["ended_at", "time", ({ ended_at }) => ended_at],
  ["duration_ms", "number", ({ duration_ms }) => duration_ms],
  ["kind", "text", ({ trigger }) => trigger.kind],
  ["entry", "text", ({ trigger }) => trigger.entry],
  ["reason", "text", ({ trigger }) => trigger.reason],
  ["prompt", "text", ({ trigger }) => trigger.text],
  ["outcome", "text", ({ outcome }) => outcome],
  ["outcome_detail", "text", ({ outcome_detail }) => outcome_detail],
  ["taken_back", "text", ({ taken_back }) => taken_back],
  ["final_text", "text", ({ final_text }) => final_text],
  ["model", "text", ({ context }) => context.model],
  ["approval_policy", "text", ({ context }) => context.approval_policy],
  ["sandbox", "text", ({ context }) => context.sandbox],
  ["git_branch", "text", ({ context }) => context.git_branch],
  ...calls<TurnView>(),
  ...counted<TurnView>(({ usage }) => usage),
  ["cost_with_children_usd", "number", ({ usage_with_children }) => usage_with_children.cost_usd],
  ["children", "json", ({ children }) => children && list(children)],
  ["files", "json", ({ files }) => files && list(files)],
  ["decisions", "json", ({ decisions }) => decisions && list(decisions)],
  ["marks", "json", ({ marks }) => json(marks)],
  ["start_line", "integer", ({ start_line }) => start_line],
  ["end_line", "integer", ({ end_line }) => end_line],
  ["session_path", "text", ({ session_path }) => session_path],
]);

const tools = table<ToolView>("tools", "started_at", ({ calls: all }) => all(), [
  ["source", "text", ({ source }) => source],
  ["session_id", "text", ({ session_id }) => session_id],
  ["turn_ref", "text", ({ turn_ref }) => turn_ref],
  ["call_id", "text", ({ call_id }) => call_id],
  ["parent_call_id", "text", ({ parent_call_id }) => parent_call_id],
  ["name", "text", ({ name }) => name],
  ["status", "text", ({ status }) => status],
  ["exit_code", "integer", ({ exit_code }) => exit_code],
  ["expected_exit", "boolean", ({ expected_exit }) => expected_exit === true],
  ["started_at", "time", ({ started_at }) => started_at],
  ["duration_ms", "number", ({ duration_ms }) => duration_ms],
  ["input", "json", ({ input }) => json(input)],
  ["error", "text", ({ error }) => error],
  ["risks", "json", ({ risks }) => risks && list(risks)],
  ["start_line", "integer", ({ start_line }) => start_line],
  ["end_line", "integer", ({ end_line }) => end_line],
  ["session_path", "text", ({ session_path }) => session_path],
]);

/** A counted response, with the project it belongs to. */
interface Spent extends CountedResponse, Pick<SessionView, "project" | "project_key"> {}

const usage = table<Spent>(
  "usage",
  "time",
  ({ view: { project, project_key }, responses }) => responses().map((one) => ({ ...one, project, project_key })),
  [
    ["source", "text", ({ source }) => source],
    ["session_id", "text", ({ session_id }) => session_id],
    ["response_id", "text", ({ response_id }) => response_id],
    ["turn", "text", ({ owner }) => owner],
    ["project", "text", ({ project }) => project],
    ["project_key", "text", ({ project_key }) => project_key],
    ["time", "time", ({ time }) => iso(time)],
    ["model", "text", ({ model }) => model],
    ["input_tokens", "integer", ({ input_tokens }) => input_tokens],
    ["cached_input_tokens", "integer", ({ cached_input_tokens }) => cached_input_tokens],
    ["cache_write_tokens", "integer", ({ cache_write_tokens }) => cache_write_tokens],
    ["cache_write_1h_tokens", "integer", ({ cache_write_1h_tokens }) => cache_write_1h_tokens],
    ["output_tokens", "integer", ({ output_tokens }) => output_tokens],
    ["reasoning_tokens", "integer", ({ reasoning_tokens }) => reasoning_tokens],
    ["cost_usd", "number", ({ pico }) => usd(pico)],
    ["cost_picousd", "integer", ({ pico }) => (pico === null ? null : BigInt(pico))],
  ],
);

/** For reading; sums of many are exact only in picodollars. */
export function usd(pico: number | null): number | null {
  const cost = costOfPico(pico);
  return cost && (cost.micro + cost.pico / 1e6) / 1e6;
}

/** The row types differ, but callers never look into the rows. */
export const TABLES = [sessions, turns, tools, usage] as unknown as readonly Table[];
export const TABLE_NAMES: readonly string[] = TABLES.map(({ name }) => name);

export function chosenTables(names: readonly string[] | undefined): readonly Table[] {
  return names === undefined ? TABLES : TABLES.filter(({ name }) => names.includes(name));
}

/** The rows of a session, redacted. Nothing is written before all of them are complete. */
export function rowsOf(
  tables: readonly Table[],
  session: Exported,
  hide: <T>(value: T) => T,
): { table: Table; rows: readonly unknown[] }[] {
  return tables.map((one) => ({ table: one, rows: hide(one.rows(session)) }));
}
