import { PRICES_VERSION } from "../../views/pricing/prices-version.ts";
import { RULES_VERSION } from "../../base/redact/version.ts";
import { TABLES } from "../../stored-versions.ts";

/**
 * Rows hold finished costs, so another price table needs another index; so do other redaction rules. Another reader
 * does not: each file's row names the reader that read it.
 */
export const INDEX_VERSION: string = `${TABLES.version}, prices ${PRICES_VERSION}, secrets ${RULES_VERSION}`;

/** The index contains nothing that the book and the native files do not: it may be deleted at any time. */
export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- What readers noted about databases and directories they listed, by source and path, with the version of the reader. With rowids:
-- texts are long, and a search for a key must not read them.
CREATE TABLE note (key TEXT PRIMARY KEY, text TEXT NOT NULL, reader INTEGER NOT NULL);

-- One native file, or one session inside a database, and how far it was read.
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL DEFAULT '',
  session_id TEXT NOT NULL,
  container TEXT NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, stamp TEXT NOT NULL DEFAULT '',
  page TEXT NOT NULL,
  -- Version of the reader that wrote the page; 0 in a nameless index.
  reader INTEGER NOT NULL DEFAULT 0,
  -- Lines whose class no later line can change.
  lines INTEGER NOT NULL, problems TEXT NOT NULL,
  -- 0: the file is there. 1: it was deleted. 2: it was rewritten; a later row holds its new content.
  gone INTEGER NOT NULL DEFAULT 0,
  -- 1: something was read from it after the rows of its session were written.
  stale INTEGER NOT NULL DEFAULT 1,
  -- 1: lines added to it change no other session: its own was assembled alone, or only with those it caused.
  alone INTEGER NOT NULL DEFAULT 0,
  UNIQUE (page)
);
-- What is needed to read the rest of a file; in a table of its own because it is long. cursor: where to go on, null for the start.
-- print: a fingerprint of what was read. saved: the state of the builder without its slices. tail: entries a later line may change.
-- resting: the state of the page.
CREATE TABLE read_state (
  file INTEGER PRIMARY KEY, cursor BLOB, print TEXT, saved BLOB NOT NULL, tail TEXT NOT NULL, drift TEXT NOT NULL, resting TEXT
);
-- Full slices of the builder's lists (turns, calls, responses …), with hashes of the ids in each: list is the name of the list, n the
-- number of the slice.
CREATE TABLE state_slice (
  file INTEGER NOT NULL, list TEXT NOT NULL, n INTEGER NOT NULL, names BLOB NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (file, list, n)
);
-- To look for an id without reading the slices.
CREATE INDEX state_slice_names ON state_slice (file, list, n, names);
-- Which versions of its agent wrote a file.
CREATE TABLE version (source TEXT NOT NULL, version TEXT NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (source, version, file)) WITHOUT ROWID;
CREATE INDEX file_session ON file (source, session_id);
CREATE INDEX file_stale ON file (source, session_id) WHERE stale = 1;

-- Sessions that affect each other's answers: parents, children, forks, copies, sessions with the same responses. Both directions are
-- stored.
CREATE TABLE link (a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE identity (identity TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (identity, session)) WITHOUT ROWID;
CREATE INDEX identity_session ON identity (session);

-- Titles kept beside the sessions; the agent may forget them.
CREATE TABLE title (session_id TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID;

CREATE TABLE session (
  key TEXT PRIMARY KEY, source TEXT NOT NULL, session_id TEXT NOT NULL,
  project TEXT NOT NULL, project_key TEXT NOT NULL, location TEXT, cwd TEXT,
  started REAL, ended REAL,
  -- secret: 0 when nothing in the view is to be hidden, so that it is printed as it stands.
  view TEXT NOT NULL, secret INTEGER NOT NULL,
  -- 1: the whole session is a copy of another one in the index.
  copied INTEGER NOT NULL,
  -- Columns to count by without reading views.
  kind TEXT NOT NULL, turns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_counts ON session (project, source, kind, turns);
CREATE INDEX session_location ON session (location);
-- For the ids before and after one, which say how much of it must be printed.
CREATE INDEX session_by_id ON session (session_id);
CREATE INDEX session_copied ON session (source, session_id) WHERE copied = 1;
-- Lines of a session's file that repeat another session, as forks do: their words are found there. page: as in file, '' without a book.
CREATE TABLE copied_lines (
  session TEXT NOT NULL, path TEXT NOT NULL, page TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  PRIMARY KEY (session, path, page, first)
) WITHOUT ROWID;
-- A directory and repository that sessions recorded together. stated: the project as they alone show it, as JSON; project and
-- project_key: as it results from all locations together. named: 1 if a recorded repository or the user gave the name.
CREATE TABLE location (
  id TEXT PRIMARY KEY, stated TEXT NOT NULL,
  project TEXT NOT NULL, project_key TEXT NOT NULL, root TEXT NOT NULL, named INTEGER NOT NULL
) WITHOUT ROWID;
-- The directories sessions worked in are looked up at every sync, without reading views.
CREATE INDEX session_cwd ON session (cwd);
-- In a table of its own because it is long and rarely needed.
CREATE TABLE audit (session TEXT PRIMARY KEY, view TEXT NOT NULL) WITHOUT ROWID;
-- What reports need of a session beyond what is printed of it: its files in order, with the pages that hold their records; files
-- changed by work that agents asked for in it; lines that could not be read.
CREATE TABLE session_detail (
  session TEXT PRIMARY KEY, parts TEXT NOT NULL, files TEXT NOT NULL, diagnostics TEXT NOT NULL
) WITHOUT ROWID;
-- Sessions in which the human was asked something.
CREATE TABLE with_questions (session TEXT PRIMARY KEY) WITHOUT ROWID;
-- What a session said last of each rate limit.
CREATE TABLE rate_limit (
  session TEXT NOT NULL, id TEXT NOT NULL, time REAL NOT NULL, line INTEGER NOT NULL, view TEXT NOT NULL,
  PRIMARY KEY (session, id)
) WITHOUT ROWID;
-- What a report needs of a session's records beyond its rows. Filled when first asked for, void when the session changes.
CREATE TABLE facts (session TEXT PRIMARY KEY, found BLOB NOT NULL);
-- Finished answers, the newest last: good until anything else is written.
CREATE TABLE answer (n INTEGER PRIMARY KEY, question TEXT NOT NULL UNIQUE, text BLOB NOT NULL);
-- Sessions in the order of their last change: a watcher reads those above the highest number it has seen.
CREATE TABLE change (n INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE);
-- Tables of long rows have rowids: sessions are written in any order, and rows that are put between others leave a third of their
-- pages empty. Their indexes name the columns that questions need of many rows.
CREATE TABLE turn (
  session TEXT NOT NULL, ref TEXT NOT NULL, time REAL, path TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  records INTEGER NOT NULL, view TEXT NOT NULL, secret INTEGER NOT NULL,
  -- part: index of its file among the session's files. lines: of the records it owns there. below: sessions it caused, and those they
  -- caused. settings: how settings and instructions differ from those of the turn before. The last two are null if empty.
  part INTEGER NOT NULL, lines TEXT NOT NULL, below TEXT, settings TEXT,
  PRIMARY KEY (session, ref)
);
CREATE INDEX turn_time ON turn (time, session, ref);
-- For the time of a session's last request.
CREATE INDEX turn_asked ON turn (session, time);
-- Files that a turn changed, each once, with the time of the turn.
CREATE TABLE changed_file (
  session TEXT NOT NULL, ref TEXT NOT NULL, path TEXT NOT NULL, time REAL, PRIMARY KEY (session, ref, path)
) WITHOUT ROWID;
CREATE INDEX changed_file_path ON changed_file (path, time);
-- For the turn of a line, in sessions with thousands of turns.
CREATE INDEX turn_lines ON turn (session, first, last, ref);
-- Prompts, to compare those of all sessions. words: a hash of the words; equal prompts at many times may come from a program. head: a
-- hash of the first line of a long prompt; equal texts with a few other lines are the text of a command. rule, loop: the rule by which it is automated.
-- typed: the command that was typed. All three are null if nothing was found. fresh: 1 until it is compared with the others.
CREATE TABLE prompt (
  words TEXT NOT NULL, session TEXT NOT NULL, ref TEXT NOT NULL, time REAL, entry TEXT NOT NULL, cwd TEXT,
  reason TEXT NOT NULL, head TEXT, text TEXT NOT NULL,
  -- opening, prefix: compared if texts only begin alike. ended: when the work on it ended, null if it was typed.
  opening TEXT NOT NULL, prefix TEXT, ended REAL,
  rule TEXT, loop TEXT, typed TEXT, fresh INTEGER NOT NULL,
  PRIMARY KEY (words, session, ref)
) WITHOUT ROWID;
CREATE INDEX prompt_session ON prompt (session, ref);
CREATE INDEX prompt_head ON prompt (head) WHERE head IS NOT NULL;
CREATE INDEX prompt_opening ON prompt (opening);
CREATE INDEX prompt_ruled ON prompt (session) WHERE rule IS NOT NULL OR loop IS NOT NULL OR typed IS NOT NULL;
CREATE INDEX prompt_fresh ON prompt (words) WHERE fresh = 1;
CREATE TABLE call (
  session TEXT NOT NULL, n INTEGER NOT NULL, time REAL, status TEXT NOT NULL, name TEXT NOT NULL,
  -- trouble: how badly it ended. took: duration in ms. risky: 1 if a risk rule applies.
  trouble INTEGER NOT NULL, took REAL, risky INTEGER NOT NULL, view TEXT NOT NULL,
  -- turn: the human's turn it belongs to. top: 0 if it ran inside another call.
  turn TEXT, top INTEGER NOT NULL,
  -- The program it ran, with its subcommand; null where it ran none.
  command TEXT,
  PRIMARY KEY (session, n)
);
CREATE INDEX call_turn ON call (session, turn, top, status, trouble);
-- Everything calls are selected by, without their views.
CREATE INDEX call_choice ON call (trouble, took, time, status, name, risky, session, n);
CREATE INDEX call_command ON call (command, name, status, trouble, took, time, session);
CREATE TABLE usage (
  session TEXT NOT NULL, response_id TEXT NOT NULL, source TEXT NOT NULL, time REAL, model TEXT,
  input_tokens INTEGER NOT NULL, cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL, cache_write_1h_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
  owner TEXT, owner_time REAL,
  -- Cost in pico-dollars by the price table of this version; null when the model has no price.
  pico INTEGER,
  PRIMARY KEY (source, response_id, session)
);
CREATE INDEX usage_session ON usage (session);
-- By the time of the request it belongs to, else its own.
CREATE INDEX usage_asked ON usage (COALESCE(owner_time, time), session);
-- The same responses added up by quarters of an hour, which every zone's days are made of. Kept with each row written.
-- quarter and model are null where a response has none; costs are split to stay exact.
CREATE TABLE usage_sum (
  source TEXT NOT NULL, quarter INTEGER, model TEXT, responses INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL, cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL, cache_write_1h_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
  micro INTEGER NOT NULL, pico INTEGER NOT NULL, unpriced INTEGER NOT NULL
);
-- Values of another type stand for nulls, so that no time and no name can be taken for none.
CREATE UNIQUE INDEX usage_sum_key ON usage_sum (source, IFNULL(quarter, ''), IFNULL(model, 0));
-- The same by the turn that owns them, null without one.
CREATE TABLE owner_sum (
  session TEXT NOT NULL, owner TEXT, model TEXT, responses INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL, cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL, cache_write_1h_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
  micro INTEGER NOT NULL, pico INTEGER NOT NULL, unpriced INTEGER NOT NULL
);
CREATE UNIQUE INDEX owner_sum_key ON owner_sum (session, IFNULL(owner, ''), IFNULL(model, 0));

-- One searchable text: its file and line, and its offset and length in the page's log. Its id encodes its kind.
CREATE TABLE doc (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, time REAL,
  at INTEGER NOT NULL, bytes INTEGER NOT NULL,
  -- How many words it has.
  words INTEGER NOT NULL
);
-- Texts of lines whose class may still change have an offset below zero and are written again with every read.
CREATE INDEX doc_file ON doc (file, at);
-- The words of texts (words/segment.ts), in segments made by the threads that read them. id: the number of its first text. kinds: that of
-- each text. alive: a bit for each that is in doc. held: of how many texts it has the words; living: how many of them are in doc, with
-- how many words. bytes: of its blocks. firsts: the first word of each.
CREATE TABLE segment (
  id INTEGER PRIMARY KEY, kinds BLOB NOT NULL, alive BLOB NOT NULL, held INTEGER NOT NULL, living INTEGER NOT NULL,
  words INTEGER NOT NULL, bytes INTEGER NOT NULL, firsts BLOB NOT NULL
);
CREATE TABLE segment_block (id INTEGER PRIMARY KEY, body BLOB NOT NULL);

-- Instructions: thousands of sessions are given the same ones. Each text is indexed once, the text itself is in the book.
CREATE TABLE instruction (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE instruction_text USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
-- Where each was given to an agent. sure: 0 if later lines may still change the class of the line.
CREATE TABLE instruction_use (
  hash TEXT NOT NULL, file INTEGER NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL,
  time REAL, sure INTEGER NOT NULL, PRIMARY KEY (hash, file, line, kind, path)
) WITHOUT ROWID;
CREATE INDEX instruction_use_file ON instruction_use (file, line);
`;
