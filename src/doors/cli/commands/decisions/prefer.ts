import type { Command } from "commander";
import type { PreferencesAnswer, PreferenceSetAnswer } from "../../../../answers/json.ts";
import {
  assertAllowed,
  clearPreferences,
  isInert,
  isPreference,
  PREFERENCES,
  Preferences,
  setPreference,
  WRITERS,
  type Writer,
} from "../../../../teach/preferences.ts";
import { readRegistry } from "../../../../teach/registry.ts";
import { stateFile, type State } from "../../../../teach/state.ts";
import { allowedWriter, writerOf } from "../../human.ts";
import type { Io } from "../../io.ts";
import { printJson } from "../../json.ts";
import { wrapLines } from "../../layout.ts";
import { paintFor } from "../../paint.ts";
import { table } from "../../table.ts";
import { slugHere, stateFlags, stateOf, writableState, type StateFlags } from "../../teaching-flags.ts";
import { plain } from "../../text.ts";
import { unknownValueError, usageError } from "../../usage-errors.ts";

interface Flags extends StateFlags {
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
    .action(async (id: string | undefined, preference: string | undefined, flags: Flags) => {
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
  flags: Flags,
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
  flags: Flags,
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

function scopeOf(io: Io, state: State, { global }: Flags): string | null {
  return global === true ? null : slugHere(io, state);
}

function preferencesOf(io: Io, state: State | null): PreferencesAnswer {
  const registry = readRegistry(state);
  const preferences = new Preferences(state, slugHere(io, state))
    .all()
    .map((one) => ({ ...one, inert: isInert(one.question_id, one.preference, registry) }));
  return { schema_version: 1, project: slugHere(io, state), preferences };
}

function list(io: Io, flags: Flags): void {
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
