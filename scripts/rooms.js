// The rooms of src: what lives in each, and which others it may import. `check-imports.js` enforces this table and writes
// it into docs/architecture.md, so what is printed is what holds.

/**
 * In the order of the picture: a room imports only rooms above it.
 * @type {Record<string, { holds: string, imports: string[] }>}
 */
export const ROOMS = {
  base: {
    holds:
      "knows nothing of sessions: bytes, lines and the SQLite driver (`io/`), printable text (`text/`), days and zones (`time/`), secrets hidden in linear time (`redact/`), shell commands parsed (`shell/`), errors, the home",
    imports: [],
  },
  record: {
    holds:
      "the canonical log: record types, schemas, writer, reader, and what a record means for the turns of its session (`entries.ts`)",
    imports: ["base"],
  },
  agents: {
    holds:
      "`contract.ts`, `registry.ts`, `traits.ts` (what is known about tools, by tool name), `kit/` (what readers share), and one folder per agent ([adding-a-source.md](adding-a-source.md)). Rooms below see the files at its top, never an agent's own",
    imports: ["base", "record"],
  },
  turns: {
    holds:
      "entries to turns, settlement, usage, lineage, the balance; questions put to the human (`decisions/`); sessions an agent keeps in the canonical log (`live/`). Knows no agent by name",
    imports: ["base", "record", "agents"],
  },
  views: {
    holds:
      "sessions, turns, calls, usage and audits in the words of the JSON contract; `query/` (what a question may say, as plain data), `pricing/`, `projects/`, `risk/` ([risk.md](risk.md))",
    imports: ["base", "record", "agents", "turns"],
  },
  book: {
    holds:
      "`reading/`: native files to sessions, in threads; `pages/`: what was read of one native file, durable and checksummed",
    imports: ["base", "record", "agents", "turns", "views"],
  },
  index: {
    holds:
      "what answers are made from (`open-index.ts`): of the book, of files, or of a team store's rows. `tables/`: SQLite rows and queries; `search/`: full text and recall; `sync/`: finds changes, reads, writes; `marks/`: stars, labels, notes ([marks.md](marks.md)); `day-reviews/`: what models read ([review.md](review.md))",
    imports: ["base", "record", "agents", "turns", "views", "book"],
  },
  teach: {
    holds:
      "what past answers add up to: preferences, the question registry, hooks, lessons ([decisions.md](decisions.md))",
    imports: ["base", "record", "agents", "turns", "views"],
  },
  answers: {
    holds:
      "`daybook.ts`: the façade; `questions/`: the table of questions; a file per answer, or a folder: `report/` ([report.md](report.md)), `blame/` ([blame.md](blame.md)), `digest/` (a day for a model to read), `workspace/` (the evidence folder of a day, [workspace.md](workspace.md)); `inside.ts`: what only our own doors ask",
    imports: ["base", "record", "agents", "turns", "views", "book", "index", "teach"],
  },
  render: {
    holds: "answers as terminal text, Markdown and HTML; `html/` draws documents with the components of `web/`",
    imports: ["base", "record", "agents", "views", "answers", "web"],
  },
  export: {
    holds:
      "formats others read, one file each ([export.md](export.md)), over the sessions the façade yields one by one",
    imports: ["base", "record", "views", "answers", "render"],
  },
  narrate: {
    holds:
      "what a model says of a day: read (`review/`, [review.md](review.md)) or told: tasks for the user's own agent (`agents/`), its stored answers, checks of each statement (`checks/`), rendering ([narrate.md](narrate.md))",
    imports: ["base", "record", "agents", "turns", "views", "book", "answers", "render", "web"],
  },
  team: {
    holds:
      "one store for many machines: `schema/` applies `migrations/`, `store/` runs transactions under a role, `rows/` makes the rows of a session at a level, `push/` sends what the store lacks, `read/` loads a person's rows, `retention/` removes old ones ([team.md](team.md))",
    imports: ["base", "record", "turns", "views", "index", "answers"],
  },
  doors: {
    holds:
      "`cli/`, `http/`, `mcp/` ([mcp.md](mcp.md)): derived from the table of questions, plus what only that door has. They see answers, never files, book or index",
    imports: [
      "base",
      "record",
      "agents",
      "turns",
      "views",
      "teach",
      "answers",
      "render",
      "export",
      "narrate",
      "team",
      "web",
    ],
  },
};

/** Files beside the rooms. Everybody may import those that import nothing. */
export const TOP = {
  "places.ts": [],
  "stored-versions.ts": [],
  "kit.ts": ["agents", "agents/kit", "book"],
  "index.ts": ["base", "record", "agents", "turns", "views", "book", "answers", "render"],
};

/** An agent whose store is another's → the files of the other that they share. */
export const FAMILIES = { kilo: ["opencode/discover.ts", "opencode/source.ts"], qwen: ["gemini/family.ts"] };
