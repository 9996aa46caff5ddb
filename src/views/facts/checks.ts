import { commandsOf } from "../../base/shell/commands.ts";
import { decidersOf } from "../../base/shell/exit-deciders.ts";
import { operands } from "../../base/shell/options.ts";
import { programsOf, programsOfWords } from "../../base/shell/program-runs.ts";

/** One run of a check: tests, a build or a linter. */
export interface CheckRun {
  /** Null when the team store does not hold it. */
  command: string | null;
  result: "ok" | "failed" | "timed_out" | "interrupted";
  line: number;
}

/** What the command text alone says about a check. */
export interface Check {
  /** The exit code is not the check's own: `npm test | tail`, `make || true`. */
  masked: boolean;
}

/** Words that name a check in a script or target. An underscore separates words here: `run_tests`, `lint_all`. */
const NAMED =
  /(?<![a-z0-9])(?:tests?|spec|build|lint|check|typecheck|type-check|tsc|verify|validate|ci|e2e|unit|compile)(?![a-z0-9])/i;
/** Programs that are nothing but checks. */
const CHECKS = new Set(
  "actionlint ansible-lint ava bandit biome black busted clang-tidy credo ctest cypress detekt eslint flake8 golangci-lint hadolint isort jest karma ktlint luacheck mocha msbuild mypy ninja nosetests nox oxlint phpstan phpunit playwright prettier prove psalm pylint pyright pytest rspec rubocop ruff semgrep shellcheck sqlfluff staticcheck stylelint swiftlint tap tflint tox tsc vitest vue-tsc xcodebuild yamllint".split(
    " ",
  ),
);
/** Programs with subcommands, some of which are checks. */
const VERBS: Readonly<Record<string, RegExp>> = {
  cargo: /^(?:test|t|build|b|check|c|clippy|nextest|insta|miri|fmt)$/,
  go: /^(?:test|build|vet)$/,
  dotnet: /^(?:test|build)$/,
  swift: /^(?:test|build)$/,
  mix: /^(?:test|compile|credo|dialyzer)$/,
  bazel: /^(?:test|build)$/,
  bazelisk: /^(?:test|build)$/,
  buck2: /^(?:test|build)$/,
  cabal: /^(?:test|build|check)$/,
  crystal: /^(?:spec|build)$/,
  dbt: /^(?:test|build|compile)$/,
  lein: /^(?:test|compile|check)$/,
  meson: /^(?:test|compile)$/,
  moon: NAMED,
  nx: NAMED,
  pants: NAMED,
  rebar3: /^(?:compile|ct|dialyzer|eunit)$/,
  sbt: /^(?:\w+\/)?(?:test|compile|scalafmtCheck)/i,
  stack: /^(?:test|build)$/,
  turbo: NAMED,
  deno: /^(?:test|check|lint)$/,
  terraform: /^(?:validate|plan)$/,
  helm: /^(?:lint)$/,
  "pre-commit": /^run$/,
  zig: /^(?:build|test)$/,
  flutter: /^(?:test|analyze|build)$/,
  rake: NAMED,
  make: NAMED,
  just: NAMED,
  task: NAMED,
  gradle: NAMED,
  gradlew: NAMED,
  mvn: /^(?:test|verify|package|compile|install|integration-test)$/,
  mvnw: /^(?:test|verify|package|compile|install|integration-test)$/,
  composer: NAMED,
};
const RUNNERS = new Set(["npm", "pnpm", "yarn", "bun"]);
/** Programs that run another program in an environment, with the number of arguments before that program's name. */
const INSIDE: Readonly<Record<string, number>> = {
  npx: 0,
  pnpx: 0,
  bunx: 0,
  uvx: 0,
  poetry: 1,
  uv: 1,
  pdm: 1,
  hatch: 1,
  rye: 1,
  bundle: 1,
};

/** The check that a call runs; null when it runs none. */
export function checkOf(name: string, input: unknown): Check | null {
  for (const command of commandsOf(name, input)) {
    const text = typeof command === "string" ? command : command.join(" ");
    if (!WORTH_READING.test(text)) continue;
    const place = { roots: [], cwd: null };
    const ran = typeof command === "string" ? programsOf(command, place) : programsOfWords(command, place);
    if (!ran.some(isCheck)) continue;
    const deciders = decidersOf(command);
    return { masked: !(deciders?.some((one) => isCheck(one)) ?? false) };
  }
  return null;
}

/** Cheap pre-filter: a command that matches none of these words is not parsed. `npm t` and `unittest` have no such word. */
const WORTH_READING = new RegExp(
  [
    NAMED.source,
    `\\b(?:${[...CHECKS, ...Object.keys(VERBS)].join("|")})\\b`,
    `\\b(?:${[...RUNNERS].join("|")})\\b.*\\st(?:st)?(?!\\S)`,
    "unittest",
  ].join("|"),
  "i",
);

export type StartedProgram = { program: string; args: readonly string[] };

/** Nesting limit for programs that run others, such as `npx pnpm exec vitest`. */
const MAX_NESTING = 6;

/** Whether a program that was started is a check. */
export function isCheck({ program: name, args }: StartedProgram, depth = 0): boolean {
  // `.\\gradlew.bat`, as a shell reads it
  const program = name.replace(/^\.|\.(?:bat|cmd)$/g, "");
  if (CHECKS.has(program)) return !args.some((arg) => /^--?(?:version|help|V|list|init)$/.test(arg));
  const [verb, second] = operands(
    // `cargo +nightly test`
    args.filter((arg) => !arg.startsWith("+")),
    /^(?:-[CfF]|--prefix|--workspace|-w|--filter|--manifest-path|--package|-p|-scheme)$/,
  );
  if (RUNNERS.has(program)) {
    if (verb === "run" || verb === "run-script") return NAMED.test(second ?? "");
    if (verb === "exec" || verb === "dlx" || verb === "x")
      return isCheckInside(args.slice(args.indexOf(verb) + 1), depth);
    return verb === "t" || verb === "tst" || NAMED.test(verb ?? "");
  }
  const skip = INSIDE[program];
  if (skip !== undefined) return isCheckInside(args.slice(skip === 1 ? 1 : 0), depth);
  if (/^python[\d.]*$/.test(program))
    return args[0] === "-m" && /^(?:pytest|unittest|mypy|tox|nox|ruff|flake8|pylint|build)$/.test(args[1] ?? "");
  if (program === "node") return args.includes("--test");
  if (program === "cmake") return args.includes("--build");
  if (program === "make" && verb === undefined) return true;
  // Project scripts, recognised by their names.
  if (
    /\.(?:sh|py|js|mjs|ts|rb)$|^[\w-]+$/.test(program) &&
    /^(?:run[-_])?(?:tests?|check|lint|build|verify|ci)(?![a-z0-9])/.test(program)
  )
    return program !== "test";
  return VERBS[program]?.test(verb ?? "") ?? false;
}

function isCheckInside(words: readonly string[], depth: number): boolean {
  if (depth >= MAX_NESTING) return false;
  const rest = words.slice(words.findIndex((word) => !word.startsWith("-")));
  const [program, ...args] = rest;
  return program !== undefined && isCheck({ program: program.split("/").at(-1)?.split("@")[0] ?? "", args }, depth + 1);
}

/** Summaries of runs that failed, as test runners, compilers and build tools write them. */
const FAILED = new RegExp(
  [
    String.raw`^=+ .{0,200}\b[1-9]\d* (?:failed|errors?)\b`,
    String.raw`^\s*Tests?:?\s+(?:\d+ \w+ ?[|,] ?)*[1-9]\d* failed`,
    String.raw`^\s*Test (?:Files|Suites):?\s+[1-9]\d* failed`,
    String.raw`^test result: FAILED`,
    String.raw`^FAILED \(`,
    String.raw`^\s*[1-9]\d* failing$`,
    String.raw`^# fail [1-9]`,
    String.raw`^--- FAIL:|^FAIL\t`,
    String.raw`^[1-9]\d* failed,? `,
    String.raw`^error(?:\[E\d+\])?: (?:could not compile|aborting due)`,
    String.raw`\berror TS\d{3,5}:`,
    String.raw`^BUILD FAILED|^FAILURE: Build failed|^\[ERROR\] BUILD FAILURE`,
    String.raw`^npm (?:ERR!|error) (?:code|Test failed)`,
    String.raw`^\u2716 \d+ problems? \([1-9]`,
    String.raw`^make: \*\*\* `,
    String.raw`^\*\* (?:BUILD|TEST) FAILED \*\*`,
  ].join("|"),
  "m",
);

/** Whether the output of a check says that it failed. */
export function saysFailed(output: string): boolean {
  return FAILED.test(output.slice(-40_000));
}

const TIMED_OUT = /\btimed out\b|\btimeout\b.{0,40}\b(?:exceeded|after|expired)\b/i;

/** How a check ended, by its status, its exit code and what was printed. */
export function checkResultOf(
  { masked }: Check,
  { status, exit_code, output }: { status: string; exit_code: number | null; output: string },
): CheckRun["result"] | null {
  if (status === "interrupted") return "interrupted";
  if (status === "failed") {
    // `timeout` exits with 124. Any other exit code but 1 needs a mention of the timeout in the output.
    const late = exit_code === 124 || (exit_code !== 1 && TIMED_OUT.test(output.slice(0, 2000)));
    return late ? "timed_out" : "failed";
  }
  if (status !== "ok") return null;
  return masked && saysFailed(output) ? "failed" : "ok";
}
