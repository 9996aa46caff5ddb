import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Short tests first: the first that fails ends the trial of a mutant. */
class ShortFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification): number => Number(/\.property\.|\/test\//u.test(moduleId));
    return files.toSorted((a, b) => cost(a) - cost(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/** The tests that one group of files is measured by: quick ones, that run the sources themselves and not the built program. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: JSON.parse(process.env["MUTATION_TESTS"] ?? "[]") as string[],
    setupFiles: ["test/mutation/setup.ts"],
    sequence: { sequencer: ShortFirst },
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    testTimeout: 60_000,
  },
});

export default config;
