import { inspectWorkspace, type Inspection, type ProjectProgress } from "../../workspace/inspect.ts";
import type { InspectAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import { beforePath, lined } from "../layout.ts";
import type { Register } from "../register.ts";
import { grouped, plain, plural } from "../text.ts";
import { outputFlags, placesOf, targetFlags, type TargetFlags } from "../workspace-flags.ts";

export const inspect: Register = (program, io, exit) => {
  outputFlags(targetFlags(program.command("inspect")))
    .description("how far the work on one workspace has come")
    .option("--workspace <dir>", "a workspace that stands elsewhere")
    .addHelpText("after", "\nExamples:\n  daybook inspect --date 2026-05-12\n  daybook inspect --workspace ./evidence")
    .action((flags: TargetFlags) => {
      const { workspace, manifest } = placesOf(io, flags);
      const found = inspectWorkspace(workspace, manifest);
      if (flags.json === true) printJson(io, view(found));
      else io.out(text(found, io.columns));
      exit(0);
    });
};

function view({ metadata, ...rest }: Inspection): InspectAnswer {
  const { report_date, timezone, status, prepared_at } = metadata;
  return { schema_version: 1, report_date, timezone, status, prepared_at, ...rest };
}

function text(found: Inspection, width: number): string {
  const { metadata, projects } = found;
  const lines = [
    plain(found.workspace),
    ...lined(
      `${metadata.report_date} ${metadata.timezone}, ${metadata.status}, prepared ${metadata.prepared_at}`,
      width,
    ),
    "",
    `projects           ${grouped(projects.length)}`,
    `sessions           ${grouped(found.sessions)}`,
    `turns              ${grouped(found.turns)}`,
    `evidence chains    ${found.evidence_chains}/${grouped(found.turns)}`,
    `project syntheses  ${found.project_syntheses}/${grouped(projects.length)}`,
    `daily report       ${there(found.daily_report)}`,
    `markdown           ${there(found.markdown)}`,
    `notion             ${there(found.notion)}`,
  ];
  for (const project of projects) lines.push("", ...about(project, width));
  return `${lines.join("\n")}\n`;
}

function there(is: boolean): string {
  return is ? "present" : "missing";
}

function about(project: ProjectProgress, width: number): string[] {
  const { sessions, turns, evidence_chains } = project;
  const chains = `evidence ${evidence_chains}/${turns}`;
  return [
    plain(project.project_key),
    ...beforePath("  directory", project.directory ?? project.directory_note ?? "", width),
    ...lined(
      `  ${plural(sessions, "session")}, ${plural(turns, "turn")}, ${chains}, synthesis ${there(project.synthesis)}`,
      width,
    ),
  ];
}
