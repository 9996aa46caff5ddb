import { expect, test } from "vitest";
import { programName } from "./command-counts.ts";

test("programName is the main program of a shell call, with its subcommand", () => {
  const nameOf = (command: unknown): string | null => programName("Bash", { command });
  expect(nameOf("cd web && npm test -- --run")).toBe("npm test");
  expect(nameOf("git -c x=y status")).toBe("git status");
  expect(nameOf(["bash", "-lc", "rg -n foo src | head"])).toBe("rg");
  expect(nameOf("sudo systemctl restart nginx")).toBe("systemctl restart");
  expect(nameOf("cd src")).toBe("cd");
  expect(nameOf("cat notes.txt")).toBe("cat");
  expect(programName("Read", { file_path: "/a" })).toBeNull();
});
