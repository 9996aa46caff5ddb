import type { ReadMeter } from "../base/io/bytes.ts";
import type { CompactedBody, RecordBody, SourceId, UsageBody, UsageTotalBody } from "../record/record.ts";

/**
 * The contract between an agent's store and the rest of Daybook. A source yields one entry for *every* native record,
 * in order. No record can be dropped silently, `explain` can account for each line, and the balance adds up by
 * construction.
 */
export interface Source {
  readonly id: SourceId;
  /** Display name. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * The releases whose genuine files the reader was checked against; repeated in the README's table. Null: of none, it
   * reads what others published about the format (see the agent's FORMAT.md).
   */
  readonly checked: Checked | null;
  /** What these files do not record, one sentence each: shown by `doctor` and repeated in docs/sources.md. */
  readonly unknowable: readonly string[];
  /**
   * Session files (or databases) under the roots, in a stable order, without reading their content where that can be
   * avoided.
   */
  discover(ctx: DiscoverContext): Iterable<SourceRef>;
  /** The session id derived from the path alone; a header inside the file takes precedence. */
  sessionId(ref: SourceRef): string;
  /** True when the file's first bytes look like a session of this source. */
  recognises(ref: SourceRef): boolean;
  /**
   * Reads from the cursor (null = from the start). Never throws for bad data; throws `DaybookError` when the file
   * cannot be opened.
   */
  read(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading;
  /**
   * Reports counted responses only, without turns or classes, as fast as the format allows: for sums over all files.
   * Must count the same as `read`. Returns the session id, or null when the file needs a full `read` (it holds a copied
   * history); the caller must then discard what was reported. Totals that include more than the responses
   * (`usage_total.unwritten`) go to `note` in file order, along with the compactions between them.
   */
  quickUsage?(
    ref: SourceRef,
    ctx: Pick<ReadContext, "meter">,
    count: (usage: UsageBody, time: number | null) => void,
    note?: (body: UsageTotalBody | CompactedBody, time: number | null) => void,
  ): string | null;
  /**
   * When the file's first and last records were written, without reading the whole file. The span is never narrower
   * than what `read` would find, as long as the clock did not run backwards. Null when unknown; the caller may then
   * only assume that nothing was written after the file's modification time.
   */
  times?(ref: SourceRef): FileTimes | null;
  /** The session whose process ran this one, derived from the path: its totals include what this one spent. */
  partOf?(ref: SourceRef): string | null;
  /**
   * The native record of an entry, for records that are not lines of the ref's file: rows, items of a document, files
   * beside it; null when there is none.
   */
  recordAt?(ref: SourceRef, line: number, native: string): NativeRecord | null;
  /** The main checkout of a worktree that the agent created, derived from its path; null for any other directory. */
  mainCheckout?(this: void, dir: string): string | null;
  /** Facts stored beside the sessions: titles, and typed prompts, including those whose transcript is gone. */
  facts?(ctx: DiscoverContext): SideFacts;
  /** The command that resumes a session of this file, run in the session's directory, or why it cannot be resumed. */
  resume?(this: void, ref: SourceRef, sessionId: string): ResumeWay | ResumeRefusal;
  /**
   * The command, without the prompt that follows it, that runs the agent without a terminal in the current directory.
   */
  readonly start?: readonly string[];
  /** The agent as an MCP client; absent when it does not support MCP. A function, because few commands need it. */
  mcp?(this: void): McpClient;
  /** How the agent runs the user's hooks around its questions; absent when it has no such hooks. */
  questionHooks?(this: void): QuestionHooks;
  /**
   * How to run the agent for a single prompt; absent when that was never tried. A function: only one command needs it.
   */
  headless?(this: void): Headless;
  /**
   * What some of its tools do. Looked up by tool name for every agent: MCP servers offer one agent's tools to another.
   */
  readonly tools?: Tools;
  /** When a script started the session through the agent's SDK, proven by the header alone; null without proof. */
  scriptStart?(ref: SourceRef, originator: string | null): number | null;
  /** A new meter for one file, for formats whose lines prove how many tokens the model wrote in each turn. */
  outputMeter?(): OutputMeter;
}

/** The command as a list of shell words. */
export interface ResumeWay {
  words: readonly string[];
  /** What the user should know before running it. */
  note?: string;
}

export interface ResumeRefusal {
  /**
   * `archived`: it must be unarchived first. `unknown_to_agent`: current releases of the agent do not read this store.
   */
  refused: "archived" | "unknown_to_agent";
  /** One sentence that also says what to do instead. */
  why: string;
}

/** An agent as a client of MCP (Model Context Protocol) servers. */
export interface McpClient {
  /** The client name it sends in the MCP handshake, if observed. */
  name?: string;
  /** Ids of the session a call comes from and of the sessions that contain it, from the metadata sent with the call. */
  callers?(meta: Readonly<Record<string, unknown>>): readonly string[];
  /**
   * The session that started a server, from the server's environment. The client may have begun another session since.
   */
  startedBy?(env: DiscoverContext["env"]): string | null;
  /** Environment variables that set where it stores sessions. A server started without them would look elsewhere. */
  variables?: readonly string[];
  servers?: McpServerList;
}

/** An agent that reads one prompt from standard input and exits after answering it. */
export interface Headless {
  /** How many runs may be active at once; unlimited when absent. */
  atOnce?: number;
  run(asked: HeadlessAsked): HeadlessRun;
  /** Parses what the run printed. */
  answer(printed: string): HeadlessAnswer;
}

export interface HeadlessAsked {
  /** The model to use; the agent's own choice when null. */
  model: string | null;
  /** An MCP server whose tools it may call without approval; it is given no other tools. */
  server: { name: string; command: readonly string[]; tools: readonly string[] } | null;
}

export interface HeadlessRun {
  /** Program and arguments, one per item. */
  words: readonly string[];
  /** Environment variables added to those of the process. */
  env?: Readonly<Record<string, string>>;
}

export interface HeadlessAnswer {
  /** Its last message; null when there was none. */
  text: string | null;
  /** Why it did not answer, in its own words; null when its output does not say. */
  error: string | null;
  /** As stated by the agent; null when it states none. */
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
}

/** Where an agent lists the MCP servers its user configured for all projects. */
export interface McpServerList {
  /** Candidate files: the first that exists is used, or the first one is created. */
  files(env: DiscoverContext["env"], home: string): readonly string[];
  form: "json" | "toml" | "yaml";
  /** The key whose value holds the servers by name. */
  key: string;
  /** The value stored under the server's name. */
  entry(command: readonly string[], env: Readonly<Record<string, string>>): Record<string, unknown>;
}

/** Hooks that an agent runs before and after tool calls, configured in JSON as `hooks.EVENT[].{matcher, hooks}`. */
export interface QuestionHooks {
  /** Path of the settings file. */
  settings(env: DiscoverContext["env"], home: string): string;
  /** Names of the hook events before and after a call. */
  before: string;
  after: string;
  /** Pattern for the names of tools that ask the human. */
  matcher: string;
  timeoutSeconds: number;
  /** Whether the tool with this name puts questions to the human. */
  asks(tool: string): boolean;
  /** What the hook prints to block the call; `reason` is shown to the agent instead of a result. */
  denied(reason: string): string;
  /** What the hook prints to give the agent additional context before or after the call. */
  context(text: string, when: "before" | "after"): string;
  /** Whether the agent's environment says that a person is at the terminal. */
  isAttended(env: DiscoverContext["env"]): boolean;
}

/** Epoch ms. */
export interface FileTimes {
  /** -Infinity when only the end is known. */
  first: number;
  last: number;
}

export interface Checked {
  oldest: string;
  newest: string;
  releases: number;
  /** The newest release as its files state it, if that differs from `newest`; null when files state no version. */
  marked?: string | null;
}

/** A record as it is in the store now. */
export interface NativeRecord {
  /** Table name and key, or the name of the file and the line, followed by the record. */
  text: string;
  /** As in `Entry.bytes`. */
  bytes: number;
}

export interface Capabilities {
  /**
   * `Entry.identity` is an id made by the agent, so equal ids in two files prove a copy. Otherwise only declared forks
   * are compared.
   */
  globalIdentities?: true;
  /** The human's custom commands are stored only as the text they expand to, without the command's name. */
  commandsAsText?: true;
  /** The agent asks the human before every action, so a refusal without a stated reason is the human's. */
  alwaysAsks?: true;
  /** The name under which gstack imports the agent's questions; without one, gstack records them with a live hook. */
  importedAs?: string;
  /** Environment variables set in every shell the agent runs: commands entered there are not typed by a human. */
  shellVariables?: readonly string[];
  /** The agent deletes its own sessions after this many days. */
  retentionDays: number | null;
}

/** One session file, or one session inside a store that holds many. */
export interface SourceRef {
  source: SourceId;
  /** Absolute path of the file or database. */
  path: string;
  /** The session, when the path holds several. Path and key together identify the ref. */
  key?: string;
  /**
   * Bytes of the file; for a session inside a store, of its documents (there it only balances work between threads).
   */
  size: number;
  mtimeMs: number;
  container: "jsonl" | "jsonl.zst" | "json" | "sqlite" | "text";
  /**
   * For sessions inside a store: changes whenever the session's rows do. Discovery fills it with one query for all. For
   * sessions made of several files: changes whenever one of them does; `path` is the one that is read first.
   */
  stamp?: string;
}

export interface DiscoverContext {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /**
   * Roots given by the user for this source; null means the agent's default locations. A root is a directory or a file.
   */
  roots: readonly string[] | null;
  /** Directories that other sessions worked in. Only for agents that store their history inside the project. */
  worked_in?: readonly string[];
  /** Sessions of this source that were read from a path earlier. Such a file need not be opened to be recognised. */
  known?(path: string): readonly SourceRef[];
  /**
   * The text the source stored with `note` for this path ("" for no path) at its last discovery; null when there is
   * none.
   */
  noted?(path: string): string | null;
  /** Stores a text for a path until the next discovery. Only an optimisation: it may be lost at any time. */
  note?(path: string, text: string): void;
  /** Called with every location that is searched, whether or not it exists. */
  looked?(path: string): void;
  report(diagnostic: Diagnostic): void;
}

export interface ReadContext {
  /**
   * `full` builds texts, inputs and outputs. `lean` may leave text fields empty, except for what a human asked, and
   * skip drift checks: classes, reasons, turns, settlements and usage must be the same as in `full`. `usage` may also
   * skip parsing every line that neither states usage nor is a request: triggers and usage must be the same, tools and
   * outcomes are not reported.
   */
  detail: "full" | "lean" | "usage";
  /**
   * Set when this file is known to repeat the history of another: the identities of the other file's records, each
   * alone and with its time (`identityAt`). The leading run of records in this set is classed `inherited`.
   */
  inherited?: ReadonlySet<string>;
  /** Requests `Entry.identity` on every entry, not only on triggers. */
  identities?: boolean;
  meter?: ReadMeter;
  signal?: AbortSignal;
}

/** One pass over a file. `cursor()` is where to resume after the entry yielded last (tentative entries excluded). */
export interface Reading extends Iterable<Entry> {
  cursor(): Cursor;
  /** Versions, unknown types and unknown fields seen so far in this pass. */
  drift(): Drift;
}

/** The position in a file where reading continues. */
export interface LineStartCursor {
  /** Lines consumed. */
  line: number;
  /** Byte offset of the next line. */
  offset: number;
}

/** Everything needed to resume reading: plain JSON, small, usable in any process. */
export interface Cursor extends LineStartCursor {
  /** The reader's internal state, as JSON. */
  state: unknown;
}

/**
 * trigger   a human asked for work            echo      the same prompt written a second time
 * setup     scaffolding for the next turn     reaction  caused by the current turn
 * early     caused by the prompt that follows, such as a compaction it had to wait for
 * session   belongs to the session, no turn   inherited copied from another session
 * duplicate already seen in this session      unknown   a type we do not know     corrupt  not readable
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
  /** Position in the thread across its files (Codex ordinals); the line number if the format has none. */
  position: number;
  /** The agent's own turn id, when the record names it. */
  turnId?: string;
  /**
   * The line of the trigger that caused the record, if the agent states it, directly or by the records it follows. Left
   * out if that is the trigger read last. A session may be open in several windows, which append to it in turns.
   */
  turnLine?: number;
  /** Equal in every copy of the same record, in this and other files. Always set on triggers. */
  identity?: string;
  records: readonly RecordBody[];
  /** The instruction texts whose hashes the records name; only in `full` detail. The book stores each text once. */
  texts?: readonly SharedText[];
  /**
   * Classified at the end of a file that may still grow, without knowing what follows: a later read may decide
   * otherwise.
   */
  tentative: boolean;
}

export interface SharedText {
  /** SHA-256 of the text in UTF-8, in hexadecimal. */
  hash: string;
  text: string;
}

/** Combines identity and time, for sources whose identities cannot tell a copy from the same text sent again. */
export function identityAt(identity: string, time: number | null): string {
  return `${identity}@${time ?? ""}`;
}

/**
 * Native type of a header whose `identity` is the session id, which takes precedence over the path. Every source uses
 * this type for such headers, whatever the agent calls them.
 */
export const SESSION_HEADER = "session_meta";

/**
 * Begins the native type of an entry that is a file beside the log, not a line of it. Such entries come last and are
 * tentative, because these files are rewritten.
 */
export const BESIDE = "beside/";

/** The session id if this entry is a header that states it. */
export function statedSessionId({ native, identity }: Pick<Entry, "native" | "identity">): string | null {
  return native === SESSION_HEADER ? (identity ?? null) : null;
}

export interface Drift {
  /** Agent versions seen, with the number of records written by each. */
  versions: Record<string, number>;
  /** `version · native type` of records we do not know. */
  unknownTypes: Record<string, number>;
  /** `version · native type · field` of fields we do not know. */
  unknownFields: Record<string, number>;
}

/** What tools do, by the names they have in the records. */
export interface Tools {
  /** Tools that put questions to the human. */
  ask?: readonly string[];
  /** Tools that show the human a plan and wait for approval. */
  plan?: readonly string[];
  /** Tools that maintain the agent's to-do list. */
  todos?: Readonly<Record<string, TodoTool>>;
  /** How to parse the results of the tools in `ask`. */
  answers?: AnswerForms;
  /** Tools that change files and whose input says how. */
  edits?: Readonly<Record<string, EditTool>>;
}

/** The file edits of a successful call, in order; null when the input has an unexpected shape or does not tell. */
export type EditTool = (input: unknown) => FileEdit[] | null;

/** Paths are those given to the call: they may be relative to its working directory. */
export type FileEdit =
  | { kind: "write"; path: string; content: string }
  /** Replaces the first occurrence of `before`, or all of them. An empty `before` creates the file. */
  | { kind: "replace"; path: string; before: string; after: string; all: boolean }
  /** Inserts after line number `line`; Infinity appends at the end of the file. */
  | { kind: "insert"; path: string; line: number; text: string }
  | { kind: "patch"; path: string; hunks: PatchHunk[]; to: string | null }
  | { kind: "delete"; path: string }
  | { kind: "move"; path: string; to: string }
  | NotebookEdit;

/**
 * Replaces or deletes a cell of a Jupyter notebook, or inserts one after the cell with that id (at the beginning when
 * `cell` is null).
 */
export interface NotebookEdit {
  kind: "notebook";
  path: string;
  how: "replace" | "insert" | "delete";
  cell: string | null;
  /** Cell type; null leaves it unchanged. */
  type: string | null;
  source: string;
}

/** Replaces the lines in `before` by those in `after`; lines in both are context for finding the position. */
export interface PatchHunk {
  before: string[];
  after: string[];
  /** A line that precedes the hunk somewhere in the file. */
  behind: string | null;
}

/**
 * The to-do list after a successful call; null when the call does not provide one. `tasks` holds single tasks by id
 * across the calls of one session.
 */
export type TodoTool = (input: Native, output: string, tasks: Map<string, TodoItem>) => TodoItem[] | null;

export interface TodoItem {
  text: string;
  status: "pending" | "in_progress" | "completed";
}

/** How an agent reports the human's answers to the model. */
export interface AnswerForms {
  /** Matches a result that says nobody could be asked. */
  unasked?: RegExp;
  /** Matches a result that says nothing was answered. */
  unanswered?: RegExp;
  /** An option the agent adds to every question. */
  added?: string;
  /** Prefix of a free-text note among the chosen options. */
  note?: string;
  /** Parses the answers from the result text, one per question; null when the text has another form. */
  read?(output: string, questions: readonly QuestionKeys[]): (GivenAnswer | null)[] | null;
}

/** The ways a result may refer to a question. */
export interface QuestionKeys {
  id: string | null;
  text: string;
  header: string | null;
}

export interface GivenAnswer {
  values: string[];
  note: string | null;
}

/**
 * Adds up the output tokens of each turn of one file, record by record. Turns are numbered by their order in the file.
 */
export interface OutputMeter {
  /**
   * Whether the record has its own time. If one that begins a turn has none, the order of records cannot be trusted.
   */
  isTimed(record: Native): boolean;
  /** `turn` is the turn that contains the record; null between turns. */
  add(record: Native, turn: number | null): void;
  /** Output tokens of a turn; null when the file does not prove the number. */
  known(turn: number, isLast: boolean): number | null;
}

export type Native = Readonly<Record<string, unknown>>;

export interface SideFacts {
  /** Titles by session id, latest wins; null means that the title was cleared. */
  titles(): Map<string, string | null>;
  /** The input history files that `prompts` reads: its result can only change when one of them does. */
  histories: readonly string[];
  /** Prompts in the input history, without commands that the agent's client handles without a model. */
  prompts(): PromptWitness[];
  /** What the agent of a session waits for, by session id, where the agent says now that it waits for the human. */
  waiting?(): Map<string, string>;
}

/** A prompt from the agent's input history. */
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

/** A problem in the data: counted and shown, never thrown. */
export interface Diagnostic {
  code: DiagnosticCode;
  source: SourceId;
  path: string;
  line?: number;
  message: string;
  hint?: string;
}
