import { validateFile, type Validation } from "../../daybook.ts";
import type { Io } from "../io.ts";
import { paints } from "../paint.ts";
import type { ValidateAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import type { Register } from "../register.ts";
import { plain, plural } from "../text.ts";

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
    .addHelpText("after", "\nExit code 1 when a canonical log is invalid, 3 when a native file has unreadable lines.")
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
  const paint = paints(io, colour);
  const verdict = result.valid ? paint.green("valid") : paint.red("not valid");
  io.out(
    `${paint.bold(plain(result.path))}\n  ${result.format ?? "unknown format"}, ${plural(result.records, "record")}, ${verdict}\n`,
  );
  for (const [version, n] of Object.entries(result.drift.versions))
    io.out(`  version ${plain(version)}: ${plural(n, "record")}\n`);
  for (const [type, n] of Object.entries(result.drift.unknownTypes))
    io.out(paint.yellow(`  unknown type ${plain(type)}: ${n}\n`));
  for (const [field, n] of Object.entries(result.drift.unknownFields))
    io.out(paint.yellow(`  unknown field ${plain(field)}: ${n}\n`));
  for (const p of result.problems)
    io.out(paint.red(`  ${plain(p.message)}\n`) + (p.hint ? `    ${plain(p.hint)}\n` : ""));
}
