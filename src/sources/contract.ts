import type { ReadMeter } from "../io/bytes.ts";
import type { CompactedBody, RecordBody, SourceId, UsageBody, UsageTotalBody } from "../format/record.ts";

/**
 * The contract between an agent's store and the rest of Daybook. A source yields one entry for *every* native record, in
 * order, so nothing can be dropped in silence, `explain` has its answer, and the balance adds up by construction.
 */
export interface Source {
  readonly id: SourceId;
  /** Name for people. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Releases whose genuine files were compared with what is known about them. The README's table says the same. */
  readonly checked: Checked;
  /** What nobody can tell from these files, in sentences: shown by `doctor`, and the same in docs/sources.md. */
  readonly unknowable: readonly string[];
  /** Session files (or databases) under the roots, in a stable order, without reading their content where that can be avoided. */
  discover(ctx: DiscoverContext): Iterable<SourceRef>;
  /** The session's id as far as the path tells; a header inside the file wins. */
  sessionId(ref: SourceRef): string;
  /** True when the file's first bytes look like a session of this source. */
  recognises(ref: SourceRef): boolean;
  /** Reads from the cursor (null = from the start). Never throws for bad data; throws `DaybookError` when the file cannot be opened. */
  read(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading;
  /**
   * Counted responses alone, without turns or classes, as fast as the format allows: for sums over everything. Must count what
   * `read` counts. Returns the session's id; null when this file needs the whole story (a copied history), and what was reported
   * is void. Totals that hold more than the responses (`usage_total.unwritten`) are noted in order, with the compactions between.
   */
  quickUsage?(
    ref: SourceRef,
    ctx: Pick<ReadContext, "meter">,
    count: (usage: UsageBody, time: number | null) => void,
    note?: (body: UsageTotalBody | CompactedBody, time: number | null) => void,
  ): string | null;
  /**
   * When its first and last records were written, without reading the file: never narrower than what `read` would find while the
   * clock did not run backwards. Null where that cannot be known: then nothing was written after the file's time.
   */
  times?(ref: SourceRef): FileTimes | null;
  /** The session in whose processes this one ran, as far as the path tells: its totals hold what this one spent. */
  partOf?(ref: SourceRef): string | null;
  /** The native record on a line, for stores whose records are no lines of text; null when there is none. */
  recordAt?(ref: SourceRef, line: number): NativeRecord | null;
  /** Where the main checkout is of a worktree the agent made itself, as far as its path tells; null when it is none of these. */
  mainCheckout?(this: void, dir: string): string | null;
  /** Facts kept beside the sessions: titles, and prompts that were typed whether or not a transcript is left. */
  facts?(ctx: DiscoverContext): SideFacts;
  /** How the agent takes a session of this file up again, in the session's directory, or why it does not. */
  resume?(this: void, ref: SourceRef, sessionId: string): ResumeWay | ResumeRefusal;
  /** The words that give it something to do without a terminal, before what it is to do; it works in the directory it is run in. */
  readonly start?: readonly string[];
  /** How it works with servers of the Model Context Protocol; absent where it has none. Made when asked: few commands need it. */
  mcp?(this: void): McpClient;
  /** How it runs programs of the user's around its questions; absent where it cannot. */
  questionHooks?(this: void): QuestionHooks;
  /** How it answers one prompt and ends; absent where that was not tried. Made when asked: one command needs it. */
  headless?(this: void): Headless;
  /** What some of its tools are for. They are known by name, whoever calls them: servers offer one agent the tools of another. */
  readonly tools?: Tools;
  /** When a script began the session through the agent's library for scripts, by its header alone; null when nothing proves it. */
  scriptStart?(ref: SourceRef, originator: string | null): number | null;
  /** A new meter for a file of lines, where those lines prove how much was written in each turn. */
  outputMeter?(): OutputMeter;
}

/** The command as words, each of them one word of a shell. */
export interface ResumeWay {
  words: readonly string[];
  /** What one should know before running it. */
  note?: string;
}

export interface ResumeRefusal {
  /** `archived`: it was put away, and must be taken out first. `unknown_to_agent`: the agent of today does not read this store. */
  refused: "archived" | "unknown_to_agent";
  /** In a sentence, with what to do instead. */
  why: string;
}

/** An agent as a client of servers of the Model Context Protocol. */
export interface McpClient {
  /** The name it gives itself when it greets a server, where it was seen. */
  name?: string;
  /** Ids of the session a call comes from, and of those it is part of, by what the client sends beside the call. */
  callers?(meta: Readonly<Record<string, unknown>>): readonly string[];
  /** The session a server was started by, by the environment of its process. The client may have begun another since. */
  startedBy?(env: DiscoverContext["env"]): string | null;
  /** Variables that say where it keeps its sessions. A server that is started without them would look elsewhere. */
  variables?: readonly string[];
  servers?: McpServerList;
}

/** An agent that is given one prompt, on its standard input, and ends when it has answered. */
export interface Headless {
  /** How many runs may be under way at once; as many as one likes when absent. */
  atOnce?: number;
  run(asked: HeadlessAsked): HeadlessRun;
  /** What it printed, understood. */
  answer(printed: string): HeadlessAnswer;
}

export interface HeadlessAsked {
  /** The model to use; the agent's own choice when null. */
  model: string | null;
  /** A server whose tools it may call without asking anybody; it is given no others. */
  server: { name: string; command: readonly string[]; tools: readonly string[] } | null;
}

export interface HeadlessRun {
  /** Program and arguments, each of them one word. */
  words: readonly string[];
  /** Variables set beside those of the process. */
  env?: Readonly<Record<string, string>>;
}

export interface HeadlessAnswer {
  /** The last thing it said; null when it said nothing. */
  text: string | null;
  /** Why it did not answer, in its words; null where what it printed does not tell. */
  error: string | null;
  /** As it states them itself; null where it does not. */
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
}

/** Where an agent lists the servers of its user, for all projects. */
export interface McpServerList {
  /** Files that may hold the list: the first that is there, else the first. */
  files(env: DiscoverContext["env"], home: string): readonly string[];
  form: "json" | "toml" | "yaml";
  /** The key whose value holds the servers by name. */
  key: string;
  /** What stands under a server's name. */
  entry(command: readonly string[], env: Readonly<Record<string, string>>): Record<string, unknown>;
}

/** An agent's settings that run a program before and after each call of a tool, as JSON: `hooks.EVENT[].{matcher, hooks}`. */
export interface QuestionHooks {
  settings(env: DiscoverContext["env"], home: string): string;
  /** Names of the events. */
  before: string;
  after: string;
  /** Which calls are meant: those that ask the human. */
  matcher: string;
  timeoutSeconds: number;
  /** Whether a tool of this name puts questions to the human. */
  asks(tool: string): boolean;
  /** What the program prints so that the call is not made, with what the agent is told instead. */
  denied(reason: string): string;
  /** What it prints so that the agent is told something beside the call, before it is made or after. */
  context(text: string, when: "before" | "after"): string;
  /** Whether variables of the agent say that a person sits before it. */
  isAttended(env: DiscoverContext["env"]): boolean;
}

/** Epoch ms. */
export interface FileTimes {
  /** -Infinity where only the end is known. */
  first: number;
  last: number;
}

export interface Checked {
  oldest: string;
  newest: string;
  releases: number;
  /** The newest as its files say it; the release itself where absent, null when they say nothing. */
  marked?: string | null;
}

/** A row as the store has it now. */
export interface NativeRecord {
  /** Table and key, then the document. */
  text: string;
  /** As in `Entry.bytes`. */
  bytes: number;
}

export interface Capabilities {
  /** `Entry.identity` is an id made by the agent: equal ids in two files prove a copy. Without it only declared forks are compared. */
  globalIdentities?: true;
  /** Commands of the human's own are stored as the text they stand for, without a word about the command. */
  commandsAsText?: true;
  /** The human was asked before every action, so a refusal needs no reason to be the human's. */
  alwaysAsks?: true;
  /** The name under which gstack imports the agent's questions itself; without one they come from its live hook. */
  importedAs?: string;
  /** Set in every shell the agent runs: what is typed there was not typed by a human. */
  shellVariables?: readonly string[];
  /** The agent deletes its own sessions after this many days. */
  retentionDays: number | null;
}

/** One session file, or one session inside a store that holds many. */
export interface SourceRef {
  source: SourceId;
  /** Absolute path of the file or database. */
  path: string;
  /** Which session, where the path holds several. Path and key together are the identity of the ref. */
  key?: string;
  /** Bytes of the file; for a session inside a store, of its documents (it only balances work between threads). */
  size: number;
  mtimeMs: number;
  container: "jsonl" | "jsonl.zst" | "json" | "sqlite" | "text";
  /** For sessions inside a store: changes whenever the session's rows do. Filled by discovery with one query for all. */
  stamp?: string;
}

export interface DiscoverContext {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Roots given by the user for this source; null = the agent's own places. A root is a directory or one file. */
  roots: readonly string[] | null;
  /** Directories known from other sessions. Only for agents that keep their history inside the project. */
  worked_in?: readonly string[];
  /** What is remembered of a path: sessions of this source that were read there. Such a file need not be opened to be known. */
  known?(path: string): readonly SourceRef[];
  /** What the source noted of a path (or of none: "") when it looked there last, in its own words; null when nothing is remembered. */
  noted?(path: string): string | null;
  /** Notes something of a path for the next time. Only a help: a note may be lost at any time. */
  note?(path: string, text: string): void;
  /** Called with every place that is looked at, whether or not there is anything. */
  looked?(path: string): void;
  report(diagnostic: Diagnostic): void;
}

export interface ReadContext {
  /**
   * `full` builds texts, inputs and outputs. `lean` may leave text fields empty, but for what a human asked, and skip drift
   * checks: classes, reasons, turns, settlements and usage must be the same as in `full`. `usage` may also leave folded every line that states no
   * usage and asks for none: triggers and usage must be the same, tools and outcomes are not reported.
   */
  detail: "full" | "lean" | "usage";
  /**
   * Set when this file is known to repeat the history of another: the identities of the other file's records, each alone
   * and with its time (`identityAt`). The leading run of records found in it is classed `inherited`.
   */
  inherited?: ReadonlySet<string>;
  /** Ask for `Entry.identity` on every entry, not only on triggers. */
  identities?: boolean;
  meter?: ReadMeter;
  signal?: AbortSignal;
}

/** One pass over a file. `cursor()` is where to resume after the entry yielded last (tentative entries excluded). */
export interface Reading extends Iterable<Entry> {
  cursor(): Cursor;
  /** Versions, unknown types and fields met so far in this pass. */
  drift(): Drift;
}

/** The place in a file where reading goes on. */
export interface LineStartCursor {
  /** Lines consumed. */
  line: number;
  /** Byte offset of the next line. */
  offset: number;
}

/** Everything needed to go on: plain JSON, small, independent of the process that made it. */
export interface Cursor extends LineStartCursor {
  /** The reader's own memory, as JSON. */
  state: unknown;
}

/**
 * trigger   a human asked for work            echo      the same prompt written a second time
 * setup     scaffolding for the next turn     reaction  caused by the current turn
 * early     caused by the prompt that follows, such as a compaction it had to wait for
 * session   belongs to the session, no turn   inherited copied from another session
 * duplicate already met in this session       unknown   a type we do not know     corrupt  not readable
 */
export type EntryClass =
  | "trigger"
  | "echo"
  | "setup"
  | "reaction"
  | "early"
  | "session"
  | "inherited"
  | "duplicate"
  | "unknown"
  | "corrupt";

export interface Entry {
  line: number;
  offset: number;
  bytes: number;
  class: EntryClass;
  /** Stable name of the rule that decided, for example `codex.response_item.echoed`. */
  reason: string;
  /** Native type path, for example `event_msg/token_count`. */
  native: string;
  /** Epoch ms from the record itself; null when it has none or an invalid one. */
  time: number | null;
  /** Position in the thread across its files (Codex ordinals); the line where the format has none. */
  position: number;
  /** The agent's own turn id, when the record names it. */
  turnId?: string;
  /** Equal in every copy of the same record, in this and other files. Always set on triggers. */
  identity?: string;
  records: readonly RecordBody[];
  /** Instructions the records name by their hashes; only in `full` detail. The book keeps each once, whoever else was given it. */
  texts?: readonly SharedText[];
  /** Decided without knowing what follows (end of a file that may still grow): a later read may class it differently. */
  tentative: boolean;
}

export interface SharedText {
  /** SHA-256 of the text in UTF-8, in hexadecimal. */
  hash: string;
  text: string;
}

/** Names a record together with its time, for sources whose identities do not tell a copy from the same words said again. */
export function identityAt(identity: string, time: number | null): string {
  return `${identity}@${time ?? ""}`;
}

/**
 * Native type of a header whose `identity` is the session's id, which wins over what the path says. A source calls such headers
 * so, however the agent calls them.
 */
export const SESSION_HEADER = "session_meta";

/** The session's id where the entry states it. */
export function statedSessionId({ native, identity }: Pick<Entry, "native" | "identity">): string | null {
  return native === SESSION_HEADER ? (identity ?? null) : null;
}

export interface Drift {
  /** Agent versions met, with the number of records written under each. */
  versions: Record<string, number>;
  /** `version · native type` of records we do not know. */
  unknownTypes: Record<string, number>;
  /** `version · native type · field` of fields we do not know. */
  unknownFields: Record<string, number>;
}

/** What tools are for, by the names they have in the records. */
export interface Tools {
  /** They put questions to the human. */
  ask?: readonly string[];
  /** They show the human a plan and wait for leave to carry it out. */
  plan?: readonly string[];
  /** They keep the agent's list of steps. */
  todos?: Readonly<Record<string, TodoTool>>;
  /** How the results of asking tools read. */
  answers?: AnswerForms;
  /** They change files, and their input says how. */
  edits?: Readonly<Record<string, EditTool>>;
}

/** What a call that ended well did to files, in order; null when its input is of another form, or does not tell. */
export type EditTool = (input: unknown) => FileEdit[] | null;

/** Paths as the call was given them: they may be relative to where it ran. */
export type FileEdit =
  | { kind: "write"; path: string; content: string }
  /** The first, or every, place where the text stands. An empty `before` makes the file. */
  | { kind: "replace"; path: string; before: string; after: string; all: boolean }
  /** Behind so many lines; Infinity: at the end. */
  | { kind: "insert"; path: string; line: number; text: string }
  | { kind: "patch"; path: string; hunks: PatchHunk[]; to: string | null }
  | { kind: "delete"; path: string }
  | { kind: "move"; path: string; to: string }
  | NotebookEdit;

/** A cell of a Jupyter notebook is changed, put behind the one of that name (at the beginning where none is named) or taken out. */
export interface NotebookEdit {
  kind: "notebook";
  path: string;
  how: "replace" | "insert" | "delete";
  cell: string | null;
  /** Null: as it was. */
  type: string | null;
  source: string;
}

/** A stretch of lines that becomes another; what stands in both is there to find the place by. */
export interface PatchHunk {
  before: string[];
  after: string[];
  /** A line that stands somewhere before it. */
  behind: string | null;
}

/** The list after a call that ended well; null when the call kept none. `tasks`: what the session's calls remember of single steps. */
export type TodoTool = (input: Native, output: string, tasks: Map<string, TodoItem>) => TodoItem[] | null;

export interface TodoItem {
  text: string;
  status: "pending" | "in_progress" | "completed";
}

/** How an agent tells the model what the human answered. */
export interface AnswerForms {
  /** The result says that nobody could be asked. */
  unasked?: RegExp;
  /** The result says that nothing was answered. */
  unanswered?: RegExp;
  /** An option the agent adds to every question. */
  added?: string;
  /** What stands before a note among the chosen options. */
  note?: string;
  /** Reads the answers out of a text, one per question; null when the text has another form. */
  read?(output: string, questions: readonly QuestionKeys[]): (GivenAnswer | null)[] | null;
}

/** How the result may name a question. */
export interface QuestionKeys {
  id: string | null;
  text: string;
  header: string | null;
}

export interface GivenAnswer {
  values: string[];
  note: string | null;
}

/** Adds up what the model wrote in each turn of one file, record by record. Turns are known by their place in the file. */
export interface OutputMeter {
  /** The record has a time of its own; where one that begins a turn has none, nothing can be trusted to stand in order. */
  isTimed(record: Native): boolean;
  /** `turn` is the one whose span holds the line; null between turns. */
  add(record: Native, turn: number | null): void;
  /** Tokens of a turn; null when the file does not prove the number. */
  known(turn: number, isLast: boolean): number | null;
}

export type Native = Readonly<Record<string, unknown>>;

export interface SideFacts {
  /** Session id → title, latest wins; null = the title was cleared. */
  titles(): Map<string, string | null>;
  /** Files of the input history that say which session a prompt went to: while they are as they were, so is what they tell. */
  histories: readonly string[];
  /** What the input history remembers. Commands that the agent's client answers alone are no prompts. */
  prompts(): PromptWitness[];
}

/** A prompt the agent's own input history remembers. */
export interface PromptWitness {
  source: SourceId;
  path: string;
  line: number;
  sessionId: string | null;
  time: number | null;
  text: string;
  cwd: string | null;
}

export type DiagnosticCode =
  | "root_missing"
  | "root_unreadable"
  | "file_unreadable"
  | "file_duplicate"
  | "file_foreign"
  | "file_pointer"
  | "database_refused"
  | "page_damaged"
  | "line_corrupt"
  | "line_torn"
  | "line_shrunk"
  | "line_invalid_utf8"
  | "number_impossible"
  | "record_unknown"
  | "header_missing"
  | "time_invalid"
  | "lineage_missing"
  | "lineage_cycle";

/** A problem in the data: a value, counted and shown, never thrown. */
export interface Diagnostic {
  code: DiagnosticCode;
  source: SourceId;
  path: string;
  line?: number;
  message: string;
  hint?: string;
}
