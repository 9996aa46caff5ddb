import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { lookAtDisk } from "../answers/projects/disk.ts";
import { canonicalRoot } from "../answers/projects/paths.ts";
import { isElsewhere, textAt } from "./named-path.ts";

const dir = mkdtempSync(join(tmpdir(), "daybook-named-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("texts are read of files alone, and of no large ones", () => {
  writeFileSync(join(dir, "note"), "a note\n");
  writeFileSync(join(dir, "large"), Buffer.alloc(1024 * 1024 + 1));
  symlinkSync("/dev/zero", join(dir, "zeros"));
  const names = ["note", "large", "zeros", ".", "none"];
  expect(names.map((name) => textAt(join(dir, name)))).toEqual(["a note\n", null, null, null, null]);
  expect(textAt(join(dir, "large"), Number.POSITIVE_INFINITY)).toHaveLength(1024 * 1024 + 1);
});

// Who asks for the text of a pipe that nobody writes to waits for ever.
it.skipIf(process.platform === "win32")("nobody waits for a pipe in a directory that a session names", () => {
  const [plain, linked] = [join(dir, "plain"), join(dir, "linked")];
  for (const project of [join(plain, ".git"), linked]) mkdirSync(project, { recursive: true });
  writeFileSync(join(plain, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const pipe of [join(plain, ".git/config"), join(plain, ".git/commondir"), join(linked, ".git")])
    execFileSync("mkfifo", [pipe]);
  expect(lookAtDisk(plain, "/nowhere")).toMatchObject({ root: plain, remote: null, isRepository: true });
  expect(lookAtDisk(linked, "/nowhere")).toMatchObject({ remote: null, isRepository: false });
});

it.each(["\\\\host\\share\\app", "//host/share/app", "\\/host/app", "file://host/share/app"])(
  "no other machine is called because a session names one: %s",
  (path) => {
    expect(isElsewhere(path)).toBe(true);
    expect(lookAtDisk(path, "/nowhere")).toBe(null);
    expect(textAt(path)).toBe(null);
  },
);

it("a directory here is looked at, whatever it is called", () => {
  for (const path of ["/srv/app", "C:\\src\\app", "file:///srv/app", "~/app", ""])
    expect(isElsewhere(path)).toBe(false);
  // Two slashes and a directory that is there: on this system both are the same, and it is still not asked.
  expect(canonicalRoot(`/${dir}/../x`)).toBe(`/${dir}/../x`);
});
