import { execFileSync } from "node:child_process";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gitHistory } from "../../src/answers/blame/in-git.ts";
import { Git } from "../../src/base/io/git.ts";
import { scratch } from "../store/fixture.ts";

const PLOTS = `from area import area

PLOTS = {"north": (40, 25), "south": (30, 30)}


def total():
    return sum(area(w, h) for w, h in PLOTS.values())


def largest():
    return max(PLOTS, key=lambda name: area(*PLOTS[name]))


if __name__ == "__main__":
    print(total(), largest())
`;

/** Files made by this share only two of their lines, but nearly half of their bytes. */
function shared(words: string): string {
  const own = words.split(" ").map((word) => `print("a ${word}, ${word}")`);
  return `${["import something_with_a_very_long_name, another_of_the_kind, more", ...own, "# that is all there is to say of it, and it is said at length"].join("\n")}\n`;
}

it("a rename that changes most bytes of a short file is recognised if half of its lines stay", () => {
  const dir = realpathSync(scratch("renames"));
  const git = (...words: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.invalid", ...words], { cwd: dir });
  const commit = (): void => (git("add", "-A"), git("commit", "-qm", "x"));
  git("init", "-q");
  writeFileSync(join(dir, "plots.py"), PLOTS);
  writeFileSync(join(dir, "other.py"), shared("apple pear plum cherry quince medlar fig"));
  commit();
  git("mv", "plots.py", "fields.py");
  writeFileSync(join(dir, "fields.py"), PLOTS.replaceAll("PLOTS", "COUNTED_FIELDS"));
  commit();
  // Not a rename: the new file shares two long lines with the deleted one, and nothing else.
  git("mv", "other.py", "new.py");
  writeFileSync(join(dir, "new.py"), shared("house tree river road hill bridge field"));
  commit();
  // The file is renamed, and a short new file takes its old name.
  git("mv", "fields.py", "acres.py");
  writeFileSync(join(dir, "fields.py"), "from acres import *\n");
  commit();
  const repository = Git.at(dir);
  if (!repository) throw new Error("no repository");
  const namesOf = (path: string): unknown => {
    const { moves, snapshots } = gitHistory(repository, "HEAD", path);
    return [moves.map(({ from, to }) => [from.slice(dir.length + 1), to.slice(dir.length + 1)]), snapshots.length];
  };
  const renamed = [["plots.py", "fields.py"]];
  expect(namesOf("fields.py")).toEqual([renamed, 3]);
  expect(namesOf("acres.py")).toEqual([[["fields.py", "acres.py"], ...renamed], 3]);
  expect(namesOf("new.py")).toEqual([[], 1]);
});
