import type {
  AnswerForms,
  EditTool,
  FileEdit,
  GivenAnswer,
  QuestionHooks,
  QuestionKeys,
  TodoTool,
} from "./contract.ts";
import { findSource, SOURCES } from "./registry.ts";
import { addTo } from "../base/maps.ts";

/**
 * The tool descriptions of all sources, looked up by what a record contains. A tool is identified by its name alone,
 * not by its agent: MCP servers offer one agent's tools to another, and a log may hold the calls of any agent.
 */
interface ToolTraits {
  ask: ReadonlySet<string>;
  /** Names in lower case, like the keys of `todos`. */
  plan: ReadonlySet<string>;
  todos: ReadonlyMap<string, TodoTool>;
  answers: readonly AnswerForms[];
  /** By name, which several agents may use for tools with different inputs. */
  edits: ReadonlyMap<string, readonly EditTool[]>;
  /** Number of sources this was built from: another may be registered later. */
  sources: number;
}

let cached: ToolTraits | null = null;

function toolTraits(): ToolTraits {
  if (cached?.sources === SOURCES.length) return cached;
  const tools = SOURCES.flatMap((source) => source.tools ?? []);
  cached = {
    ask: new Set(tools.flatMap(({ ask = [] }) => ask)),
    plan: new Set(tools.flatMap(({ plan = [] }) => plan.map((name) => name.toLowerCase()))),
    todos: new Map(
      tools.flatMap(({ todos = {} }) =>
        Object.entries(todos).map(([name, tool]) => [name.toLowerCase(), tool] as const),
      ),
    ),
    answers: tools.flatMap(({ answers }) => answers ?? []),
    edits: groupByName(tools.flatMap(({ edits = {} }) => Object.entries(edits))),
    sources: SOURCES.length,
  };
  return cached;
}

function groupByName<T>(entries: readonly (readonly [name: string, value: T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const [name, value] of entries) addTo(groups, name, value);
  return groups;
}

/** The tool's name without its MCP server: `mcp__server__name` and `server.name` become `name`. */
function withoutServer(name: string): string {
  const at = Math.max(name.lastIndexOf("__") + 2, name.lastIndexOf(".") + 1);
  return at > 1 || name.startsWith(".") ? name.slice(at) : name;
}

/** Whether the tool puts questions to the human. */
export function asksHuman(name: string): boolean {
  return toolTraits().ask.has(withoutServer(name));
}

/** Whether the tool shows the human a plan for approval. */
export function showsPlan(name: string): boolean {
  return toolTraits().plan.has(withoutServer(name).toLowerCase());
}

/** The function that reads the to-do list from a call of this tool; null for any other tool. */
export function todoToolOf(name: string): TodoTool | null {
  return toolTraits().todos.get(name.toLowerCase()) ?? null;
}

/** The file edits described by the input of a call; empty when it describes none. */
export function editsOf(name: string, input: unknown): FileEdit[] {
  for (const tool of toolTraits().edits.get(withoutServer(name)) ?? []) {
    const found = tool(input);
    if (found) return found;
  }
  return [];
}

/** Whether the result of a question says that nobody could be asked. */
export function saysUnasked(output: string): boolean {
  return toolTraits().answers.some(({ unasked }) => unasked?.test(output) === true);
}

/** Whether the result of a question says that nothing was answered. */
export function saysUnanswered(output: string): boolean {
  return toolTraits().answers.some(({ unanswered }) => unanswered?.test(output) === true);
}

/** Whether an agent adds this option to every question. */
export function isAddedOption(label: string): boolean {
  return toolTraits().answers.some(({ added }) => added === label);
}

/** The free-text note in a chosen value; null when the value is an option. */
export function noteIn(value: string): string | null {
  for (const { note } of toolTraits().answers)
    if (note !== undefined && value.startsWith(note)) return value.slice(note.length);
  return null;
}

/** The answers parsed from the text of a result, by the first form that matches. */
export function answersInText(output: string, questions: readonly QuestionKeys[]): (GivenAnswer | null)[] | null {
  for (const form of toolTraits().answers) {
    const found = form.read?.(output, questions) ?? null;
    if (found) return found;
  }
  return null;
}

/** Whether the agent asks before every action, so that a refusal without a reason is the human's. */
export function alwaysAsks(source: string): boolean {
  return findSource(source)?.capabilities.alwaysAsks === true;
}

/** The name under which gstack imports an agent's questions; null when gstack's hook records them. */
export function gstackImportName(source: string): string | null {
  return findSource(source)?.capabilities.importedAs ?? null;
}

/** All such names with the source each belongs to. */
export function gstackImportNames(): { name: string; source: string }[] {
  return SOURCES.flatMap(({ id, capabilities: { importedAs: name } }) =>
    name === undefined ? [] : [{ name, source: id }],
  );
}

/** The agent whose questions a Daybook hook can observe as they are asked. */
export function questionHookSource(): string | null {
  return SOURCES.find(({ questionHooks }) => questionHooks)?.id ?? null;
}

/** How that agent runs hooks around its questions. */
export function questionHooks(): QuestionHooks | null {
  return SOURCES.find(({ questionHooks: hooks }) => hooks)?.questionHooks?.() ?? null;
}
