import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inspectDirectory } from "../../views/projects/disk.ts";
import { canonicalRoot } from "../../views/projects/paths.ts";
import { isNetworkPath, textAt } from "./named-path.ts";

const dir = mkdtempSync(join(tmpdir(), "daybook-named-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("textAt reads only regular files up to a maximum size", () => {
  writeFileSync(join(dir, "note"), "a note\n");
  writeFileSync(join(dir, "large"), Buffer.alloc(1024 * 1024 + 1));
  symlinkSync("/dev/zero", join(dir, "zeros"));
  const names = ["note", "large", "zeros", ".", "none"];
  expect(names.map((name) => textAt(join(dir, name)))).toEqual(["a note\n", null, null, null, null]);
  expect(textAt(join(dir, "large"), Number.POSITIVE_INFINITY)).toHaveLength(1024 * 1024 + 1);
});

// Reading a pipe that nobody writes to would block for ever.
it.skipIf(process.platform === "win32")("inspectDirectory does not block on named pipes", () => {
  const [plain, linked] = [join(dir, "plain"), join(dir, "linked")];
  for (const project of [join(plain, ".git"), linked]) mkdirSync(project, { recursive: true });
  writeFileSync(join(plain, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const pipe of [join(plain, ".git/config"), join(plain, ".git/commondir"), join(linked, ".git")])
    execFileSync("mkfifo", [pipe]);
  expect(inspectDirectory(plain, "/nowhere")).toMatchObject({ root: plain, remote: null, isRepository: true });
  expect(inspectDirectory(linked, "/nowhere")).toMatchObject({ remote: null, isRepository: false });
});

it.each(["\\\\host\\share\\app", "//host/share/app", "\\/host/app", "file://host/share/app"])(
  "a network path named by a session is not accessed: %s",
  (path) => {
    expect(isNetworkPath(path)).toBe(true);
    expect(inspectDirectory(path, "/nowhere")).toBe(null);
    expect(textAt(path)).toBe(null);
  },
);

it("a local path is no network path, except one with two leading slashes", () => {
  for (const path of ["/srv/app", "C:\\src\\app", "file:///srv/app", "~/app", ""])
    expect(isNetworkPath(path)).toBe(false);
  // Two slashes before an existing directory: the same path on this system, but it is not resolved.
  expect(canonicalRoot(`/${dir}/../x`)).toBe(`/${dir}/../x`);
});
