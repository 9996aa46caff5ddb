import { basename, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The test files that take longest, the longest first: started last, one of them would keep one core
 * busy while the others have nothing left to do. Vitest knows this only on a machine where it ran before.
 */
const LONGEST = [
  "test/store/survival.test.ts",
  "test/store/incremental.test.ts",
  "test/store/growth.test.ts",
  "test/store/databases.test.ts",
  "test/terminal-escapes.test.ts",
  "test/store/work.test.ts",
  "test/store/living.test.ts",
  "test/throwing-source.test.ts",
  "test/page/page.test.ts",
  "test/conformance/sources.test.ts",
  "test/program.test.ts",
  "test/store/kill.test.ts",
  "test/team/unknowns.test.ts",
  "test/secrets.test.ts",
  "test/store/together.test.ts",
  "test/stored-versions.test.ts",
  "test/answers-schema.test.ts",
  "test/store/readers.test.ts",
  "test/export/otel.test.ts",
  "test/terminal-width.test.ts",
  "test/page/team.test.ts",
];

export class LongestFirst extends BaseSequencer {
  /** Isolated files first, because they are long; both kinds by the list, then in the order of their names. */
  override sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative(project.config.root, moduleId).replaceAll("\\", "/"));
      return (project.config.isolate ? 0 : LONGEST.length + 1) + (at < 0 ? LONGEST.length : at);
    };
    return Promise.resolve(
      specs.toSorted((a, b) => rank(a) - rank(b) || basename(a.moduleId).localeCompare(basename(b.moduleId))),
    );
  }
}
