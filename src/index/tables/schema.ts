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

-- What sources noted of the places they looked at, and in which version. With rowids: texts are long, and a search for a key
-- must not read them.
CREATE TABLE note (place TEXT PRIMARY KEY, text TEXT NOT NULL, reader INTEGER NOT NULL);

-- One native file (or one session inside a store) and how far it was read.
CREATE TABLE unit (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL DEFAULT '',
  session_id TEXT NOT NULL,
  container TEXT NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, stamp TEXT NOT NULL DEFAULT '',
  page TEXT NOT NULL,
  -- Version of the reader that wrote the page; 0 in a nameless index.
  reader INTEGER NOT NULL DEFAULT 0,
  -- Lines that are certain.
  lines INTEGER NOT NULL, problems TEXT NOT NULL,
  -- 0: the file is there. 1: it is gone. 2: it was rewritten, and a later page tells it.
  gone INTEGER NOT NULL DEFAULT 0,
  -- 1: its session was not put together since.
  stale INTEGER NOT NULL DEFAULT 1,
  -- 1: what is added to it changes no other session: none was needed to put it together, or only those it caused.
  alone INTEGER NOT NULL DEFAULT 0,
  UNIQUE (page)
);
-- How reading goes on, apart because it is long: where (null: from the start), how the file is known again, the builder at rest,
-- the page as it was left.
CREATE TABLE memory (
  unit INTEGER PRIMARY KEY, cursor TEXT, print TEXT, saved BLOB NOT NULL, tail TEXT NOT NULL, drift TEXT NOT NULL, resting TEXT
);
-- What the builder knows that is settled for the most part: full slices of its lists, and hashes of what is in them.
CREATE TABLE piece (
  unit INTEGER NOT NULL, list TEXT NOT NULL, n INTEGER NOT NULL, names BLOB NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (unit, list, n)
);
-- The hashes are asked for without the long rest.
CREATE INDEX piece_names ON piece (unit, list, n, names);
-- Which versions of its agent wrote a file.
CREATE TABLE version (source TEXT NOT NULL, version TEXT NOT NULL, unit INTEGER NOT NULL, PRIMARY KEY (source, version, unit)) WITHOUT ROWID;
CREATE INDEX unit_session ON unit (source, session_id);
CREATE INDEX unit_stale ON unit (source, session_id) WHERE stale = 1;

-- Sessions that must be looked at together: parents, children, forks, copies, the same responses. Both directions are stored.
CREATE TABLE link (a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE identity (identity TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (identity, session)) WITHOUT ROWID;
CREATE INDEX identity_session ON identity (session);

-- Titles kept beside the sessions; the agent may forget them.
CREATE TABLE title (session_id TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID;

CREATE TABLE session (
  key TEXT PRIMARY KEY, source TEXT NOT NULL, session_id TEXT NOT NULL,
  project TEXT NOT NULL, project_key TEXT NOT NULL, place TEXT, cwd TEXT,
  started REAL, ended REAL,
  -- secret: 0 when nothing in the view is to be hidden, so that it is printed as it stands.
  view TEXT NOT NULL, secret INTEGER NOT NULL,
  -- 1: all of it was made of another session that is here.
  copied INTEGER NOT NULL,
  -- What sessions are counted by, without the long rest.
  kind TEXT NOT NULL, turns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_counts ON session (project, source, kind, turns);
CREATE INDEX session_place ON session (place);
CREATE INDEX session_copied ON session (source, session_id) WHERE copied = 1;
-- Lines of a session's file that repeat another session, as forks do: their words are found there.
CREATE TABLE copied_lines (
  session TEXT NOT NULL, path TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (session, path, first)
) WITHOUT ROWID;
-- A directory and a repository that sessions recorded together: what they tell alone, and their project with all that others
-- tell. named: 1 when they recorded the repository the project is named after, or the user named it.
CREATE TABLE place (
  id TEXT PRIMARY KEY, stated TEXT NOT NULL,
  project TEXT NOT NULL, project_key TEXT NOT NULL, root TEXT NOT NULL, named INTEGER NOT NULL
) WITHOUT ROWID;
-- Where work was done is asked at every look, without the long rest.
CREATE INDEX session_cwd ON session (cwd);
-- Apart from the rest: long, and rarely asked for.
CREATE TABLE audit (session TEXT PRIMARY KEY, view TEXT NOT NULL) WITHOUT ROWID;
-- What reports need of a session beyond what is printed of it: its files in order, with the pages that hold their records; files
-- changed by work that agents asked for in it; lines that could not be read.
CREATE TABLE session_detail (
  session TEXT PRIMARY KEY, parts TEXT NOT NULL, files TEXT NOT NULL, diagnostics TEXT NOT NULL
) WITHOUT ROWID;
-- Sessions in which the human was asked something.
CREATE TABLE asking (session TEXT PRIMARY KEY) WITHOUT ROWID;
-- What a session said last of each rate limit.
CREATE TABLE rate_limit (
  session TEXT NOT NULL, id TEXT NOT NULL, time REAL NOT NULL, line INTEGER NOT NULL, view TEXT NOT NULL,
  PRIMARY KEY (session, id)
) WITHOUT ROWID;
-- What a report needs of a session's records beyond its rows. Filled when first asked for, void when the session changes.
CREATE TABLE facts (session TEXT PRIMARY KEY, found BLOB NOT NULL) WITHOUT ROWID;
-- Finished answers, the newest last: good until anything else is written.
CREATE TABLE answer (n INTEGER PRIMARY KEY, question TEXT NOT NULL UNIQUE, text BLOB NOT NULL);
-- Sessions of which anything changed, the last of them last: who follows asks for those above the number it knows.
CREATE TABLE change (n INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE);
CREATE TABLE turn (
  session TEXT NOT NULL, ref TEXT NOT NULL, time REAL, path TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  records INTEGER NOT NULL, view TEXT NOT NULL, secret INTEGER NOT NULL,
  -- Which of its session's files it stands in; the lines of the records it owns there; sessions it caused, and those they caused;
  -- what rules it that did not rule the turn before. The last two are null where there is nothing to say.
  part INTEGER NOT NULL, lines TEXT NOT NULL, below TEXT, settings TEXT,
  PRIMARY KEY (session, ref)
) WITHOUT ROWID;
CREATE INDEX turn_time ON turn (time);
-- When a session was asked for something last.
CREATE INDEX turn_asked ON turn (session, time);
-- Files that a turn changed, each once, with the time of the turn.
CREATE TABLE touched (
  session TEXT NOT NULL, ref TEXT NOT NULL, path TEXT NOT NULL, time REAL, PRIMARY KEY (session, ref, path)
) WITHOUT ROWID;
CREATE INDEX touched_path ON touched (path, time);
-- Which turn a line belongs to, in sessions of thousands.
CREATE INDEX turn_lines ON turn (session, first, last);
-- Prompts by their words, with what their own file says of them: the same ones asked again and again may come from a program.
-- Long ones also by their first line, with their text: the same with a few lines changed is the text of a command.
-- rule, typed: what follows for the prompt, null for nothing. fresh: not yet compared with the others.
CREATE TABLE asked (
  words TEXT NOT NULL, session TEXT NOT NULL, ref TEXT NOT NULL, time REAL, entry TEXT NOT NULL, cwd TEXT,
  reason TEXT NOT NULL, head TEXT, text TEXT NOT NULL,
  -- What is compared where texts only begin alike; when the work on it ended, unless it was typed.
  opening TEXT NOT NULL, prefix TEXT, ended REAL,
  rule TEXT, loop TEXT, typed TEXT, fresh INTEGER NOT NULL,
  PRIMARY KEY (words, session, ref)
) WITHOUT ROWID;
CREATE INDEX asked_session ON asked (session, ref);
CREATE INDEX asked_head ON asked (head) WHERE head IS NOT NULL;
CREATE INDEX asked_opening ON asked (opening);
CREATE INDEX asked_ruled ON asked (session) WHERE rule IS NOT NULL OR loop IS NOT NULL OR typed IS NOT NULL;
CREATE INDEX asked_fresh ON asked (words) WHERE fresh = 1;
CREATE TABLE call (
  session TEXT NOT NULL, n INTEGER NOT NULL, time REAL, status TEXT NOT NULL, name TEXT NOT NULL,
  -- How badly it ended, how long it took in ms, whether a rule of risk marks it.
  trouble INTEGER NOT NULL, took REAL, risky INTEGER NOT NULL, view TEXT NOT NULL,
  -- The human's turn it belongs to; 0 where another call made it.
  turn TEXT, top INTEGER NOT NULL,
  -- The program it ran, with its subcommand; null where it ran none.
  command TEXT,
  PRIMARY KEY (session, n)
) WITHOUT ROWID;
CREATE INDEX call_turn ON call (session, turn, top, status, trouble);
-- Everything calls are chosen by, without the long rest.
CREATE INDEX call_choice ON call (trouble, took, time, status, name, risky);
CREATE INDEX call_command ON call (command, name, status, trouble, took, time);
CREATE TABLE usage (
  session TEXT NOT NULL, response_id TEXT NOT NULL, source TEXT NOT NULL, time REAL, model TEXT,
  input_tokens INTEGER NOT NULL, cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL, cache_write_1h_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
  owner TEXT, owner_time REAL,
  -- Cost in pico-dollars by the price table of this version; null when the model has no price.
  pico INTEGER,
  PRIMARY KEY (source, response_id, session)
) WITHOUT ROWID;
CREATE INDEX usage_session ON usage (session);
-- The time of the trigger that answers for it, else its own.
CREATE INDEX usage_asked ON usage (COALESCE(owner_time, time));
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
-- And by the turn that answers for them, null where none does.
CREATE TABLE owner_sum (
  session TEXT NOT NULL, owner TEXT, model TEXT, responses INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL, cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL, cache_write_1h_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
  micro INTEGER NOT NULL, pico INTEGER NOT NULL, unpriced INTEGER NOT NULL
);
CREATE UNIQUE INDEX owner_sum_key ON owner_sum (session, IFNULL(owner, ''), IFNULL(model, 0));

-- One searchable text: where it stands natively, and where in the page's log. Its number says of what kind it is.
CREATE TABLE doc (
  id INTEGER PRIMARY KEY, unit INTEGER NOT NULL, line INTEGER NOT NULL, time REAL,
  at INTEGER NOT NULL, bytes INTEGER NOT NULL
);
-- Uncertain texts have a place below zero and are told again with every read.
CREATE INDEX doc_unit ON doc (unit, at);
CREATE VIRTUAL TABLE text USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
-- Its words in order: a view of what it has, nothing of its own.
CREATE VIRTUAL TABLE word USING fts5vocab(text, instance);

-- Instructions: thousands of sessions are given the same ones. Each text is indexed once, the text itself is in the book.
CREATE TABLE instruction (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE instruction_text USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
-- Where each came into force. sure: 0 where what follows may still change what the line is.
CREATE TABLE force (
  hash TEXT NOT NULL, unit INTEGER NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL,
  time REAL, sure INTEGER NOT NULL, PRIMARY KEY (hash, unit, line, kind, path)
) WITHOUT ROWID;
CREATE INDEX force_unit ON force (unit, line);
`;
