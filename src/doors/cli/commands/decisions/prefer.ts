import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { questionHooks } from "../../../../answers/daybook.ts";
import type { DecisionCheckAnswer, PreferencesAnswer, PreferenceSetAnswer } from "../../../../answers/json.ts";
import { expandHome, homeDirectoryFor } from "../../../../base/home.ts";
import { plain } from "../../../../base/text/inert.ts";
import { shellQuote } from "../../../../base/text/shell-words.ts";
import { checkQuestion } from "../../../../teach/check.ts";
import { installingHooks, uninstallingHooks } from "../../../../teach/install/hook-list.ts";
import {
  assertAllowed,
  clearPreferences,
  isInert,
  isPreference,
  PREFERENCES,
  Preferences,
  setPreference,
  type Writer,
  WRITERS,
} from "../../../../teach/preferences.ts";
import { readRegistry } from "../../../../teach/registry.ts";
import { type State, stateFile } from "../../../../teach/state.ts";
import { confirmChange, programOf } from "../../config-change.ts";
import type { Io } from "../../io.ts";
import { printJson } from "../../json.ts";
import { wrapLines } from "../../layout.ts";
import { paintFor } from "../../output.ts";
import { unknownValueError, usageError } from "../../flags.ts";
import { table } from "../../table.ts";
import {
  allowedWriter,
  slugHere,
  stateFlags,
  type StateFlags,
  stateOf,
  writableState,
  writerOf,
} from "../../teaching.ts";

interface PreferFlags extends StateFlags {
  global?: boolean;
  clear?: boolean;
  list?: boolean;
  source?: string;
}

export function preferCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  stateFlags(decisions.command("prefer"))
    .description("set whether a question is asked again; only you can do this, at a terminal")
    .argument("[id]", "the question's id, from its marker")
    .argument("[preference]", PREFERENCES.join(" | "))
    .option("--global", "for all projects; a preference of the project itself wins")
    .option("--clear", "remove it; without an id, remove all of them")
    .option("--list", "show what is set here")
    .option("--source <writer>", `which of gstack's commands the person used, for the record: ${WRITERS.join(" or ")}`)
    .option("-j, --json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook decisions prefer ship-todos-create never-ask\n  daybook decisions prefer ship-todos-create --clear\n  daybook decisions prefer --list",
    )
    .action(async (id: string | undefined, preference: string | undefined, flags: PreferFlags) => {
      // The writer is checked first: an invalid one is rejected whatever else was asked for.
      const writer = writerOf(flags.source);
      if (flags.list === true || (id === undefined && flags.clear !== true)) list(io, flags);
      else if (flags.clear === true) await clear(io, id ?? null, preference, flags, writer);
      else await set(io, id ?? "", preference, flags, writer);
      exit(0);
    });
}

async function set(
  io: Io,
  id: string,
  preference: string | undefined,
  flags: PreferFlags,
  writer: Writer | null,
): Promise<void> {
  if (preference === undefined) throw usageError("which preference?", PREFERENCES.join(" | "));
  if (!isPreference(preference)) throw unknownValueError("preference", preference, PREFERENCES);
  const state = writableState(io, flags);
  const slug = scopeOf(io, state, flags);
  const where = slug === null ? "in all projects" : `in ${slug}`;
  assertAllowed(state, id, preference);
  const by = await allowedWriter(io, writer, `Set ${plain(id)} to ${preference} ${where}?`);
  if (by === null) return;
  setPreference(state, slug, { question_id: id, preference, by }, new Date(io.now).toISOString());
  const answer: PreferenceSetAnswer = {
    schema_version: 1,
    question_id: id,
    preference,
    scope: slug === null ? "global" : "project",
    path: stateFile.preferences(state, slug),
  };
  if (flags.json === true) printJson(io, answer);
  else {
    const inert = isInert(id, preference, readRegistry(state))
      ? "It is asked anyway: it is not in the registry as two-way (docs/decisions.md).\n"
      : "";
    io.out(`${plain(id)}: ${preference}, ${where}\n${inert}`);
  }
}

async function clear(
  io: Io,
  id: string | null,
  preference: string | undefined,
  flags: PreferFlags,
  writer: Writer | null,
): Promise<void> {
  if (preference !== undefined) throw usageError("--clear takes no preference", "leave one of them out");
  const state = writableState(io, flags);
  const slug = scopeOf(io, state, flags);
  const where = slug === null ? "for all projects" : `of ${slug}`;
  const what = id === null ? "all preferences" : `the preference for ${plain(id)}`;
  const by = await allowedWriter(io, writer, `Remove ${what} ${where}?`);
  if (by === null) return;
  const cleared = clearPreferences(state, slug, id, by, new Date(io.now).toISOString());
  if (flags.json === true) printJson(io, preferencesOf(io, state));
  else io.out(cleared.length === 0 ? "Nothing was set.\n" : `Removed: ${cleared.map(plain).join(", ")}\n`);
}

function scopeOf(io: Io, state: State, { global }: PreferFlags): string | null {
  return global === true ? null : slugHere(io, state);
}

function preferencesOf(io: Io, state: State | null): PreferencesAnswer {
  const registry = readRegistry(state);
  const preferences = new Preferences(state, slugHere(io, state))
    .all()
    .map((one) => ({ ...one, inert: isInert(one.question_id, one.preference, registry) }));
  return { schema_version: 1, project: slugHere(io, state), preferences };
}

function list(io: Io, flags: PreferFlags): void {
  const answer = preferencesOf(io, stateOf(io, flags));
  if (flags.json === true) return printJson(io, answer);
  const { preferences, project } = answer;
  if (preferences.length === 0) {
    const text = `No preferences for ${project} or for all projects. \`daybook decisions stats\` shows which questions come up; \`daybook decisions prefer ID never-ask\` sets one.`;
    return io.out(`${wrapLines(text, io.columns).join("\n")}\n`);
  }
  const columns = [{ head: "Question", grow: true }, { head: "preference" }, { head: "where" }, { head: "" }];
  const rows = preferences.map(({ question_id, preference, scope, inert }) => [
    question_id,
    preference,
    scope === "global" ? "all projects" : project,
    inert ? "asked anyway" : "",
  ]);
  io.out(`${table(columns, rows, io.columns, paintFor(io, true).dim)}\n`);
}

interface CheckFlags extends StateFlags {
  summary?: string;
  summaryStdin?: boolean;
  skill?: string;
  category?: string;
}

export function checkCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  stateFlags(decisions.command("check"))
    .description("whether a question should be asked: prints ASK_NORMALLY or AUTO_DECIDE")
    .argument("<id>", "the question's id, from its marker")
    .option("--summary <text>", "the text of the question: irreversible actions are recognised by it too")
    .option("--summary-stdin", "the same, from stdin")
    .option("--skill <name>", "the skill that asks")
    .option("--category <name>", "approval, clarification, routing, cherry-pick or feedback-loop")
    .option("-j, --json", "print JSON")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook decisions check ship-todos-create\n  echo "Drop the old table?" | daybook decisions check ship-cleanup --summary-stdin',
    )
    .action((id: string, flags: CheckFlags) => {
      const state = stateOf(io, flags);
      const summary = flags.summary ?? (flags.summaryStdin === true ? piped(io) : null);
      const asking = { question_id: id, skill: flags.skill, category: flags.category, summary };
      const { problem, ...checked } = checkQuestion(asking, state, slugHere(io, state));
      if (flags.json === true) printJson(io, { schema_version: 1, ...checked } satisfies DecisionCheckAnswer);
      else io.out(`${checked.verdict}\n${checked.note === null ? "" : `NOTE: ${checked.note}\n`}`);
      if (problem !== null) io.err(`daybook: unreadable: ${plain(problem)}\n`);
      exit(problem === null ? 0 : 3);
    });
}

function piped(io: Io): string {
  if (io.stdin) return io.stdin();
  // On a terminal there is no piped text: treat it as empty instead of waiting for input.
  return io.inIsTerminal === true ? "" : readFileSync(0, "utf8");
}

interface HookFlags extends StateFlags {
  install?: boolean;
  uninstall?: boolean;
  yes?: boolean;
}

const HOOKS = ["capture", "enforce"];

export function hookCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  stateFlags(decisions.command("hook"))
    .description("hooks for the questions of Claude Code: record each one, decide those you set to never-ask")
    .argument("[hook]", `${HOOKS.join(" | ")}: run by the agent, with the call on stdin; always ends with 0`)
    .option("--install", "add both to the agent's settings; shows the change to its file and asks first")
    .option("--uninstall", "remove them again")
    .option("--yes", "do not ask")
    .addHelpText("after", "\nExamples:\n  daybook decisions hook --install\n  daybook decisions hook --uninstall")
    .action(async (hook: string | undefined, flags: HookFlags) => {
      if (hook !== undefined) throw unknownValueError("hook", hook, HOOKS);
      if ((flags.install === true) === (flags.uninstall === true))
        throw usageError("use either --install or --uninstall", "daybook decisions hook --help");
      const hooks = questionHooks();
      if (!hooks)
        throw usageError("no agent has hooks for questions", "daybook decisions stats works from sessions alone");
      const place = { env: io.env, home: homeDirectoryFor("the agent's settings", io.env) };
      const home = flags.home === undefined ? [] : ["--home", resolve(expandHome(flags.home, io.env))];
      const command = (name: string): string =>
        [...programOf(io), "decisions", "hook", name, ...home].map((word) => shellQuote(word)).join(" ");
      const change = flags.install === true ? installingHooks(hooks, place, command) : uninstallingHooks(hooks, place);
      await confirmChange(io, change, flags.yes);
      exit(0);
    });
}
