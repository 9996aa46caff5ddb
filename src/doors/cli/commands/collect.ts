import { basename } from "node:path";
import { collectWorkspace } from "../../../answers/workspace/collect.ts";
import { collectionPath } from "../../../answers/workspace/places.ts";
import { VERSION } from "../../../base/version.ts";
import type { CollectAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import type { Register } from "../register.ts";
import { usageError } from "../usage-errors.ts";
import { plain, plural } from "../text.ts";
import { outputFlags, placesOf, redactorOf, targetFlags, type TargetFlags } from "../workspace-flags.ts";

interface Flags extends TargetFlags {
  output?: string;
  includeRawSessions?: boolean;
}

export const collect: Register = (program, io, exit) => {
  outputFlags(targetFlags(program.command("collect")))
    .description("pack a workspace into a zip file for support; without the sessions themselves unless asked")
    .option("--workspace <dir>", "a workspace in another place")
    .option("--output <zip>", "the file to write (default: collections/<date>.zip in Daybook's own folder)")
    .option("--include-raw-sessions", "include the copied sessions: everything that was said and printed")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook collect --date 2026-05-12\n  daybook collect --workspace ./evidence --output evidence.zip",
    )
    .action(async (flags: Flags) => {
      if (flags.output !== undefined && !/\.zip$/i.test(flags.output))
        throw usageError(`--output must name a zip file, not ${flags.output}`, "use a name that ends in .zip");
      const { workspace, manifest, home, named } = placesOf(io, flags);
      const includeRaw = flags.includeRawSessions === true;
      if (includeRaw)
        io.err("daybook: warning: the collection will contain raw sessions; review it before you share it\n");
      const done = await collectWorkspace({
        mode: named ? "workspace" : "date-root",
        workspace,
        manifest: named ? null : manifest,
        home: named ? null : home,
        output: flags.output ?? collectionPath(home, basename(workspace)),
        includeRaw,
        redactor: redactorOf(io),
        now: io.now,
        tool: { name: "daybook", version: VERSION },
      });
      const { included_paths, excluded_paths } = done.manifest;
      if (flags.json === true) printJson(io, { output: done.output, ...done.manifest } satisfies CollectAnswer);
      else {
        io.out(`${plain(done.output)}\n`);
        io.out(`  ${plural(included_paths.length, "file")} included, ${excluded_paths.length} left out\n`);
      }
      exit(0);
    });
};
