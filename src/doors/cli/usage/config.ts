import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { parseJson } from "../../../base/io/json.ts";
import { flagError, type UsageFlags } from "./question.ts";

type Settings = Record<string, unknown>;

/** Applies the values of `ccusage.json` that the command line does not set: defaults, per report, per agent. */
export function applyConfig(command: Command, flags: UsageFlags, words: readonly string[]): void {
  if (flags.config === undefined) return;
  const file = read(flags.config);
  const agent = settings(file[words[0] ?? ""]);
  const report = words.find((word) => word in settings(file["commands"]) || word in settings(agent["commands"]));
  const all: Settings = {
    ...settings(file["defaults"]),
    ...settings(settings(file["commands"])[report ?? words[0] ?? "daily"]),
    ...settings(agent["defaults"]),
    ...settings(settings(agent["commands"])[report ?? "daily"]),
  };
  for (const option of command.options) {
    const name = option.attributeName();
    const given = option.negate ? opposite(all[`no${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`]) : all[name];
    if (given === undefined || command.getOptionValueSource(name) === "cli") continue;
    Object.assign(flags, { [name]: typeof given === "number" ? String(given) : given });
  }
}

function opposite(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? !value : undefined;
}

function read(path: string): Settings {
  try {
    return settings(parseJson(readFileSync(path, "utf8")));
  } catch (error) {
    throw flagError(`--config: ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function settings(value: unknown): Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Settings) : {};
}
