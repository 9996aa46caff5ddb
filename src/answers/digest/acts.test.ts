import { expect, it } from "vitest";
import { kindsDone, kindsOf } from "./acts.ts";

it.each([
  ["git push", ["push"]],
  ["cd api; git push 2>&1 | tail -1", ["push"]],
  ["git add -A && git commit -qm x && git push -q origin main", ["commit", "push"]],
  ["git checkout -q main && git merge -q --ff-only dst && git push", ["merge", "push"]],
  ["bash -lc 'git push'", ["push"]],
  ["set -e\ngit push\necho done", ["push"]],
  ["glab mr merge 219 --yes", ["merge"]],
  ["npm publish", ["release"]],
] as const)("%s has done it, if it ended well", (command, kinds) => {
  expect(kindsDone(command)).toEqual(kinds);
});

it.each([
  "git push || true",
  "git push || echo failed",
  "true || git push && echo ok",
  "git push; echo pushed",
  "git push\ngit status --short",
  "git push & sleep 1",
  "nohup git push &",
  "if git push; then echo yes; fi",
  "! git push",
  "git push --dry-run",
  "git push -n origin main",
  "git commit --dry-run -am x",
  "git merge --abort",
  "cargo publish --dry-run",
  "npm publish --dry-run=true",
  "helm upgrade shop ./chart --dry-run",
  "rsync -avn dist/ host:/srv",
  "ansible-playbook site.yml --check",
  "echo git push",
  "git commit -m merge; true",
  "grep -rn 'npm publish' .",
  "cat scripts/deploy.sh",
  "helm list release",
])("%s proves nothing by ending well", (command) => {
  expect(kindsDone(command)).toEqual([]);
});

it("tells what was tried, whatever became of it", () => {
  expect(kindsOf("git push || true", false)).toEqual(["push"]);
  expect(kindsOf("npm test; git push", true)).toEqual(["check", "push"]);
});
