import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";

const BIN = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));
const PRELOAD = fileURLToPath(new URL("../preload/interrupt.cjs", import.meta.url));
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGKILL"] as const;

/** Session files, and a database with a write-ahead log left behind, which can only be read from a copy. */
function makeRoots(): { dir: string; flags: string[] } {
  const { dir } = copyCorpus(["codex-0.130.0", "goose-1.34.0"]);
  const [database, left] = [join(dir, "goose-1.34.0/sessions/sessions.db"), join(dir, "left")];
  mkdirSync(left);
  const owner = openDatabase(database);
  owner.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE sessions SET name = 'left behind'");
  for (const suffix of ["", "-wal"]) copyFileSync(database + suffix, join(left, `sessions.db${suffix}`));
  owner.close();
  return {
    dir,
    flags: ["--root", `codex=${join(dir, "codex-0.130.0")}`, "--root", `goose=${join(left, "sessions.db")}`],
  };
}

interface Ran {
  signal: string | null;
  out: string;
  /** One character per opened or copied file: `n` if the temporary directory was not empty at that moment, else `-`. */
  looks: string;
}

describe("a search without a book", () => {
  const { dir, flags } = makeRoots();
  const search = (tmp: string, at = 0, by = ""): Ran => {
    const words = ["--require", PRELOAD, BIN, "search", "the", ...flags];
    const env = { INTERRUPT_BELOW: dir, INTERRUPT_AT: String(at), INTERRUPT_BY: by };
    const { signal, stdout, stderr } = spawnSync(process.execPath, words, {
      env: { PATH: process.env["PATH"], HOME: "/nowhere", TMPDIR: tmp, TZ: "UTC", ...env },
      encoding: "utf8",
    });
    return { signal, out: stdout, looks: /looks: ([n-]+)/.exec(stderr)?.[1] ?? "" };
  };
  const filesIn = (tmp: string): string[] => readdirSync(tmp, { recursive: true, encoding: "utf8" });
  const { looks } = search(scratch("tmp"));

  it("leaves the temporary directory empty when it finishes", () => {
    const tmp = scratch("tmp");
    expect(search(tmp).out).toMatch(/\d+ results/);
    expect(filesIn(tmp)).toEqual([]);
    // The directory is in use only while the one copy is made.
    expect(looks).toMatch(/^-+n{2,4}-+$/);
  });

  it.each(SIGNALS)("leaves the temporary directory empty when it is ended by %s", (by) => {
    const tmp = scratch("tmp");
    for (const at of [1, looks.indexOf("n"), looks.lastIndexOf("n") + 2, looks.length]) {
      expect([at, search(tmp, at, by).signal]).toEqual([at, by]);
      expect([at, filesIn(tmp)]).toEqual([at, []]);
    }
  });

  it("killed while copying leaves a private directory, which the next search removes", () => {
    const tmp = scratch("tmp");
    expect(search(tmp, looks.indexOf("n") + 1, "SIGKILL").signal).toBe("SIGKILL");
    const [copy = ""] = filesIn(tmp);
    expect(statSync(join(tmp, copy)).mode & 0o777).toBe(0o700);
    expect(search(tmp).out).toMatch(/\d+ results/);
    expect(filesIn(tmp)).toEqual([]);
  });
});
