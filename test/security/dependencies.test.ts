import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Locked {
  version?: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
}

/** Packages installed with the program. A new one must be added deliberately, here and in docs/security.md. */
const RUNTIME: Readonly<Record<string, string>> = {
  "@photostructure/sqlite": "MIT",
  "@secretlint/secretlint-rule-preset-recommend": "MIT",
  commander: "MIT",
  fzstd: "MIT",
  // These two only find or build the native part of @photostructure/sqlite.
  "node-addon-api": "MIT",
  "node-gyp-build": "MIT",
  "smol-toml": "BSD-3-Clause",
  zod: "MIT",
};

/** Packages bundled into the build, for `serve`, `mcp`, `recall`, `export` and `team`: they are not installed. */
const BUNDLED = [
  "@lucide/svelte",
  "@asteasolutions/zod-to-openapi",
  "@hono/node-server",
  "@hono/zod-openapi",
  "@hono/zod-validator",
  "hono",
  "@modelcontextprotocol/core",
  "@modelcontextprotocol/server",
  "content-type",
  "jose",
  "jsonc-parser",
  "yaml",
  "@orama/stemmers",
  "@orama/stopwords",
  "pg",
  "pg-connection-string",
  "pg-int8",
  "pg-pool",
  "pg-protocol",
  "pg-types",
  "pgpass",
  "split2",
  "xtend",
  "postgres-array",
  "postgres-bytea",
  "postgres-date",
  "postgres-interval",
  "hyparquet",
  "hyparquet-writer",
  "@tanstack/virtual-core",
  "clsx",
  "devalue",
  "diff",
  "esm-env",
  "marked",
  "svelte",
  // Syntax highlighting and its dependencies.
  ...["core", "engine-javascript", "langs", "primitive", "types", "vscode-textmate"].map((name) => `@shikijs/${name}`),
  "ccount",
  "character-entities-html4",
  "character-entities-legacy",
  "comma-separated-tokens",
  "hast-util-to-html",
  "hast-util-whitespace",
  "html-void-elements",
  "oniguruma-parser",
  "oniguruma-to-es",
  "property-information",
  "regex",
  "regex-recursion",
  "regex-utilities",
  "space-separated-tokens",
  "stringify-entities",
  "zwitch",
];

/** Packages that run a script when they are installed. */
const INSTALLING = ["@photostructure/sqlite"];

const KNOWN_LICENCES = [
  "Python-2.0",
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MPL-2.0",
  // Either of the two licences may be chosen.
  "(MPL-2.0 OR Apache-2.0)",
  "(MIT OR CC0-1.0)",
];

const json = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const { packages } = json("package-lock.json") as { packages: Record<string, Locked> };
const locked = Object.entries(packages)
  .filter(([path]) => path !== "")
  .map(([path, entry]) => ({ ...entry, name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length) }));

describe("dependencies", () => {
  it("at run time are exactly those listed, with the listed licences", () => {
    const runtime = locked.filter(({ dev }) => dev !== true);
    expect(Object.fromEntries(runtime.map(({ name, license }) => [name, license]))).toEqual(RUNTIME);
  });

  it("in package.json have exact versions, which are the locked ones", () => {
    const { dependencies } = json("package.json") as { dependencies: Record<string, string> };
    for (const [name, version] of Object.entries(dependencies)) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
      expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
    }
  });

  it("have no install scripts, except those listed", () => {
    expect(locked.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name)).toEqual(
      INSTALLING,
    );
  });

  it("are locked by a SHA-512 hash, without links, git and plain HTTP addresses", () => {
    expect(locked.filter(({ integrity }) => integrity?.startsWith("sha512-") !== true).map(({ name }) => name)).toEqual(
      [],
    );
    expect(locked.filter(({ link }) => link === true)).toEqual([]);
    expect(Object.values(packages).filter((entry) => /git[+:]|http:/.test(JSON.stringify(entry)))).toEqual([]);
  });

  it("have known licences, including development dependencies", () => {
    expect(locked.filter(({ license }) => !KNOWN_LICENCES.includes(license ?? "")).map(({ name }) => name)).toEqual([]);
  });
});

describe("THIRD-PARTY.txt", () => {
  const notices = readFileSync(join(root, "dist/THIRD-PARTY.txt"), "utf8");
  const titles = [...notices.matchAll(/^(.+)\n=+$/gm)].map(([, name = ""]) => name);

  it("names every package in the build, with copyright and licence texts", () => {
    // The rules for secrets were published with these packages inside; the prices are data of @pydantic/genai-prices.
    const inside = ["@textlint/regexp-string-matcher", "escape-string-regexp", ...lodash("sortby", "uniq", "uniqwith")];
    const bundled = Object.keys(RUNTIME).filter((name) => !/sqlite|^node-/.test(name));
    expect(titles.toSorted()).toEqual(["@pydantic/genai-prices", ...BUNDLED, ...bundled, ...inside].toSorted());
    expect(notices.match(/Copyright/gi)?.length).toBeGreaterThanOrEqual(titles.length);
    expect(notices.match(/"?AS IS"?/g)?.length).toBeGreaterThanOrEqual(titles.length);
  });
});

describe("docs/security.md", () => {
  const page = readFileSync(join(root, "docs/security.md"), "utf8");

  it("names every dependency at run time", () => {
    for (const name of Object.keys(RUNTIME)) expect(page).toContain(`\`${name}\``);
  });

  it("refers only to files that exist", () => {
    const paths = [...page.matchAll(/`((?:src|test|scripts)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

function lodash(...names: string[]): string[] {
  return names.map((name) => `lodash.${name}`);
}
