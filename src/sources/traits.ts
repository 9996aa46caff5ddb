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

/**
 * What the sources say about tools and their results, asked by what stands in a record. Tools are known by name alone: servers
 * offer one agent the tools of another, and a log tells the calls of any.
 */
interface Known {
  ask: ReadonlySet<string>;
  /** In small letters, as the names of the to-do tools are. */
  plan: ReadonlySet<string>;
  todos: ReadonlyMap<string, TodoTool>;
  answers: readonly AnswerForms[];
  /** Several agents have a tool of one name, each with its own input. */
  edits: ReadonlyMap<string, readonly EditTool[]>;
  /** How many sources there were: one may be registered later. */
  sources: number;
}

let made: Known | null = null;

function known(): Known {
  if (made?.sources === SOURCES.length) return made;
  const tools = SOURCES.flatMap((source) => source.tools ?? []);
  made = {
    ask: new Set(tools.flatMap(({ ask = [] }) => ask)),
    plan: new Set(tools.flatMap(({ plan = [] }) => plan.map((name) => name.toLowerCase()))),
    todos: new Map(
      tools.flatMap(({ todos = {} }) =>
        Object.entries(todos).map(([name, tool]) => [name.toLowerCase(), tool] as const),
      ),
    ),
    answers: tools.flatMap(({ answers }) => answers ?? []),
    edits: grouped(tools.flatMap(({ edits = {} }) => Object.entries(edits))),
    sources: SOURCES.length,
  };
  return made;
}

function grouped<T>(entries: readonly (readonly [name: string, value: T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const [name, value] of entries) groups.set(name, [...(groups.get(name) ?? []), value]);
  return groups;
}

/** Without the server it comes from: `mcp__server__name`, `server.name`. */
function bare(name: string): string {
  const at = Math.max(name.lastIndexOf("__") + 2, name.lastIndexOf(".") + 1);
  return at > 1 || name.startsWith(".") ? name.slice(at) : name;
}

/** Tools that put questions to the human. */
export function asksHuman(name: string): boolean {
  return known().ask.has(bare(name));
}

/** Tools that show the human a plan. */
export function showsPlan(name: string): boolean {
  return known().plan.has(bare(name).toLowerCase());
}

/** How a tool changes the agent's list of steps; null for all others. */
export function todoTool(name: string): TodoTool | null {
  return known().todos.get(name.toLowerCase()) ?? null;
}

/** What a call did to files, as its input tells; none where it tells nothing. */
export function editsOf(name: string, input: unknown): FileEdit[] {
  for (const tool of known().edits.get(bare(name)) ?? []) {
    const found = tool(input);
    if (found) return found;
  }
  return [];
}

/** The result of an asking tool says that nobody could be asked. */
export function saysUnasked(output: string): boolean {
  return known().answers.some(({ unasked }) => unasked?.test(output) === true);
}

/** The result of an asking tool says that nothing was answered. */
export function saysUnanswered(output: string): boolean {
  return known().answers.some(({ unanswered }) => unanswered?.test(output) === true);
}

/** An option that an agent adds to every question. */
export function isAddedOption(label: string): boolean {
  return known().answers.some(({ added }) => added === label);
}

/** The note that stands among chosen options; null when the text is an option. */
export function noteIn(value: string): string | null {
  for (const { note } of known().answers)
    if (note !== undefined && value.startsWith(note)) return value.slice(note.length);
  return null;
}

/** The answers in the text of a result, in the first form that fits. */
export function answersInText(output: string, questions: readonly QuestionKeys[]): (GivenAnswer | null)[] | null {
  for (const form of known().answers) {
    const found = form.read?.(output, questions) ?? null;
    if (found) return found;
  }
  return null;
}

/** Whether a refusal without a reason is the human's. */
export function alwaysAsks(source: string): boolean {
  return findSource(source)?.capabilities.alwaysAsks === true;
}

/** The name under which gstack imports the questions of an agent itself; null where its hook writes them. */
export function importedAs(source: string): string | null {
  return findSource(source)?.capabilities.importedAs ?? null;
}

/** All such names, and whose they are. */
export function importNames(): { name: string; source: string }[] {
  return SOURCES.flatMap(({ id, capabilities: { importedAs: name } }) =>
    name === undefined ? [] : [{ name, source: id }],
  );
}

/** The agent whose questions a hook of ours can see as they are asked. */
export function questionHookSource(): string | null {
  return SOURCES.find(({ questionHooks }) => questionHooks)?.id ?? null;
}

/** How that agent runs programs around its questions. */
export function questionHooks(): QuestionHooks | null {
  return SOURCES.find(({ questionHooks: hooks }) => hooks)?.questionHooks?.() ?? null;
}
