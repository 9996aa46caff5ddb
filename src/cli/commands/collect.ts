import { basename } from "node:path";
import { collectWorkspace } from "../../workspace/collect.ts";
import { collectionPath } from "../../workspace/places.ts";
import { VERSION } from "../../version.ts";
import type { CollectAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import type { Register } from "../register.ts";
import { wrongUse } from "../unknown.ts";
import { plain, plural } from "../text.ts";
import { outputFlags, placesOf, targetFlags, type TargetFlags } from "../workspace-flags.ts";

interface Flags extends TargetFlags {
  output?: string;
  includeRawSessions?: boolean;
}

export const collect: Register = (program, io, exit) => {
  outputFlags(targetFlags(program.command("collect")))
    .description("one zip file of a workspace, for support; without the sessions themselves unless asked")
    .option("--workspace <dir>", "a workspace that stands elsewhere")
    .option("--output <zip>", "the file to write (default: collections/<date>.zip in Daybook's own folder)")
    .option("--include-raw-sessions", "with the copied sessions: everything that was said and printed")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook collect --date 2026-05-12\n  daybook collect --workspace ./evidence --output evidence.zip",
    )
    .action(async (flags: Flags) => {
      if (flags.output !== undefined && !/\.zip$/i.test(flags.output))
        throw wrongUse(`the collection is a zip file, which ${flags.output} does not say`, "end --output in .zip");
      const { workspace, manifest, home, named } = placesOf(io, flags);
      const includeRaw = flags.includeRawSessions === true;
      if (includeRaw)
        io.err("daybook: warning: the collection will hold raw sessions; look through it before you share it\n");
      const done = await collectWorkspace({
        mode: named ? "workspace" : "date-root",
        workspace,
        manifest: named ? null : manifest,
        home: named ? null : home,
        output: flags.output ?? collectionPath(home, basename(workspace)),
        includeRaw,
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
