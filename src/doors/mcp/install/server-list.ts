import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { DaybookError } from "../../../base/errors.ts";
import type { ConfigChange } from "../../../base/io/config-change.ts";
import { mcpInstallable, mcpServerList } from "../../../answers/daybook.ts";
import { suggestion } from "../../../base/text/near.ts";
import { jsonEntry, withJsonEntry, withoutJsonEntry } from "./json-list.ts";
import { tomlEntry, withoutTomlEntry, withTomlEntry } from "./toml-list.ts";
import { withoutYamlEntry, withYamlEntry, yamlEntry } from "./yaml-list.ts";

/** The configuration of one server. */
export type ServerEntry = Record<string, unknown>;

/** The name under which Daybook is listed. */
const NAME = "daybook";

export interface Place {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

interface Form {
  entryOf: (text: string, key: string, name: string) => unknown;
  adding: (text: string, key: string, name: string, entry: ServerEntry) => string;
  removing: (text: string, key: string, name: string) => string[];
}

/** Each is loaded with the library for its format, so none is referenced before it is needed. */
function formOf(form: List["form"]): Form {
  switch (form) {
    case "json":
      return { entryOf: jsonEntry, adding: withJsonEntry, removing: withoutJsonEntry };
    case "toml":
      return { entryOf: tomlEntry, adding: withTomlEntry, removing: withoutTomlEntry };
    case "yaml":
      return { entryOf: yamlEntry, adding: withYamlEntry, removing: withoutYamlEntry };
  }
}

/** The change that adds Daybook to an agent's servers. */
export function installing(
  agent: string,
  place: Place,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): ConfigChange {
  const { list, path, before } = listOf(agent, place);
  const entry = list.entry(command, env);
  const text = before ?? "";
  const form = formOf(list.form);
  if (isDeepStrictEqual(form.entryOf(text, list.key, NAME), entry)) return { path, before, after: before };
  const base = form.entryOf(text, list.key, NAME) === undefined ? text : withoutEntry(list, text);
  return { path, before, after: form.adding(base, list.key, NAME, entry) };
}

/** The change that removes it again. */
export function uninstalling(agent: string, place: Place): ConfigChange {
  const { list, path, before } = listOf(agent, place);
  if (before === null || formOf(list.form).entryOf(before, list.key, NAME) === undefined)
    return { path, before, after: before };
  const after = withoutEntry(list, before);
  // A file that contained nothing else is deleted.
  return { path, before, after: /^\s*(?:\{\s*\})?\s*$/.test(after) ? null : after };
}

type List = NonNullable<ReturnType<typeof mcpServerList>>;

/** Picks the candidate that gives this file again when the entry is added: that is the original, byte for byte. */
function withoutEntry({ form, key }: List, text: string): string {
  const { entryOf, adding, removing } = formOf(form);
  const entry = entryOf(text, key, NAME) as ServerEntry;
  const before = removing(text, key, NAME);
  return before.find((one) => adding(one, key, NAME, entry) === text) ?? before.at(-1) ?? text;
}

function listOf(agent: string, { env, home }: Place): { list: List; path: string; before: string | null } {
  const known = mcpInstallable();
  // A name, or a prefix of one.
  const [name = agent] = known.includes(agent) ? [agent] : known.filter((one) => one.startsWith(agent));
  const list = mcpServerList(name);
  if (!list) {
    throw new DaybookError(`it is not known where ${agent} lists its servers`, {
      code: "usage",
      op: "change configuration",
      hint: suggestion(agent, known) || `known for: ${known.join(", ")}`,
    });
  }
  const files = list.files(env, home);
  const path = files.find((file) => existsSync(file)) ?? files[0] ?? "";
  return { list, path, before: existsSync(path) ? readFileSync(path, "utf8") : null };
}
