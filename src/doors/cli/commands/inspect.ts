import { inspectWorkspace, type Inspection, type ProjectProgress } from "../../../answers/workspace/inspect.ts";
import type { InspectAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { beforePath, wrapLines } from "../layout.ts";
import type { Register } from "../register.ts";
import { groupDigits, plain, plural } from "../text.ts";
import { outputFlags, placesOf, redactorOf, targetFlags, type TargetFlags } from "../workspace-flags.ts";

export const inspect: Register = (program, io, exit) => {
  outputFlags(targetFlags(program.command("inspect")))
    .description("show the progress of a workspace")
    .option("--workspace <dir>", "a workspace in another place")
    .addHelpText("after", "\nExamples:\n  daybook inspect --date 2026-05-12\n  daybook inspect --workspace ./evidence")
    .action((flags: TargetFlags) => {
      const { workspace, manifest } = placesOf(io, flags);
      const found = redactorOf(io).all(inspectWorkspace(workspace, manifest));
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
    ...wrapLines(
      `${metadata.report_date} ${metadata.timezone}, ${metadata.status}, prepared ${metadata.prepared_at}`,
      width,
    ),
    "",
    `projects           ${groupDigits(projects.length)}`,
    `sessions           ${groupDigits(found.sessions)}`,
    `turns              ${groupDigits(found.turns)}`,
    `evidence chains    ${found.evidence_chains}/${groupDigits(found.turns)}`,
    `project syntheses  ${found.project_syntheses}/${groupDigits(projects.length)}`,
    `daily report       ${there(found.daily_report)}`,
    `markdown           ${there(found.markdown)}`,
    `html               ${there(found.html)}`,
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
    ...wrapLines(
      `  ${plural(sessions, "session")}, ${plural(turns, "turn")}, ${chains}, synthesis ${there(project.synthesis)}`,
      width,
    ),
  ];
}
