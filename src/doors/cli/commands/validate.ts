import { validateFile, type Validation } from "../../../answers/daybook.ts";
import type { Io } from "../io.ts";
import { paintFor } from "../paint.ts";
import type { ValidateAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { wrapLines } from "../layout.ts";
import type { Register } from "../register.ts";
import { groupDigits, plain, plural } from "../text.ts";

interface Flags {
  json?: boolean;
  color?: boolean;
}

export const validate: Register = (program, io, exit) => {
  program
    .command("validate")
    .description("check canonical logs and native session files: unknown types, fields, versions, corrupt lines")
    .argument("<file...>", "files to check")
    .option("-j, --json", "print JSON")
    .option("--no-color", "no colour")
    .addHelpText(
      "after",
      "\nExit code 1 when a canonical log is invalid, 3 when a native file has unreadable lines.\n\nExamples:\n  daybook validate session.jsonl\n  daybook validate ~/.codex/sessions/2026/05/12/*.jsonl --json",
    )
    .action(async (files: string[], flags: Flags) => {
      const results: Validation[] = [];
      for (const file of files) results.push(await validateFile(file));
      if (flags.json === true) printJson(io, { schema_version: 1, files: results } satisfies ValidateAnswer);
      else for (const result of results) print(io, result, flags.color !== false);
      const wrong = results.filter((result) => !result.valid);
      const broken = wrong.some((result) => result.format === "log" || result.format === null);
      exit(broken ? 1 : wrong.length > 0 ? 3 : 0);
    });
};

function print(io: Io, result: Validation, colour: boolean): void {
  const paint = paintFor(io, colour);
  const verdict = result.valid ? paint.green("valid") : paint.red("not valid");
  io.out(
    `${paint.bold(plain(result.path))}\n  ${result.format ?? "unknown format"}, ${plural(result.records, "record")}, ${verdict}\n`,
  );
  const say = (text: string, colour: (line: string) => string = String): void => {
    for (const line of wrapLines(text, io.columns)) io.out(`${colour(line)}\n`);
  };
  const { versions, unknownTypes, unknownFields } = result.drift;
  for (const [version, n] of Object.entries(versions)) say(`  version ${version}: ${plural(n, "record")}`);
  for (const [type, n] of Object.entries(unknownTypes)) say(`  unknown type ${type}: ${groupDigits(n)}`, paint.yellow);
  for (const [field, n] of Object.entries(unknownFields))
    say(`  unknown field ${field}: ${groupDigits(n)}`, paint.yellow);
  for (const { message, hint } of result.problems) {
    say(`  ${message}`, paint.red);
    if (hint) say(`    ${hint}`);
  }
}
