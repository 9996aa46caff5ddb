import { describe, expect, it } from "vitest";
import { noFacts, type TurnFacts } from "../../../views/facts/facts.ts";
import { openThreads, type OpenThread, type Placed } from "../loose-ends.ts";
import { evidenceIn, type Project, type WorkTurn } from "./evidence.ts";
import { Spoken } from "./spoken.ts";
import { Habits } from "./habits.ts";
import { deedsOf, stepOf, type Step } from "../../../views/facts/steps.ts";

let clock = 0;

type Call = [command: string, status?: Step["status"]];

function turn(
  calls: readonly Call[],
  more: Omit<Partial<WorkTurn>, "facts"> & { facts?: Partial<TurnFacts> } = {},
): WorkTurn {
  clock++;
  const steps = calls.flatMap(([command, status = "ok"], i) => {
    const deeds = deedsOf("Bash", { command });
    return deeds.length > 0 || status === "denied" ? [stepOf(10 + i, status, deeds, command)] : [];
  });
  const facts = { ...noFacts(), steps, last_call: calls.length > 0 ? 9 + calls.length : null, ...more.facts };
  const commits = calls.flatMap(([command, status = "ok"], i) =>
    status === "ok" && command.includes("git commit") ? [{ branch: null, line: 10 + i }] : [],
  );
  return {
    session: "s",
    ref: `T${clock}`,
    time: clock,
    until: clock,
    prompt: "do it",
    final: "Done.",
    files: [],
    subjects: [],
    view: { outcome: "completed", outcome_detail: null, cwd: "/p", start_line: 1, end_line: 99 },
    asked: [],
    edits: [],
    commits,
    branch: "main",
    isClosed: false,
    ...more,
    facts,
  };
}

const edit = (path: string, isNew = true): Pick<WorkTurn, "edits"> => ({
  edits: [{ path: `/p/${path}`, isNew, line: 5 }],
});

function around(turns: readonly WorkTurn[], threads: readonly { turns: WorkTurn[] }[] = []): Project {
  return { turns, habits: new Habits(threads), spoken: new Spoken(turns, "p") };
}

/** Kinds of what is open after these turns of one thread; `others` are threads of their own before it. */
function open(turns: readonly WorkTurn[], others: readonly WorkTurn[] = []): string[] {
  const threads = [...others.map((one) => ({ turns: [one] })), { turns: [...turns] }];
  const own = threads.at(-1) ?? { turns: [] };
  return evidenceIn(own, around([...others, ...turns], threads)).map(({ kind }) => kind);
}

describe("records show to be open", () => {
  it("a check, a command or a push that failed last, until it succeeds or the files change", () => {
    expect(open([turn([["npm test", "failed"]])])).toEqual(["check_failed"]);
    expect(open([turn([["./scripts/deploy.sh staging", "failed"]])])).toEqual(["call_failed"]);
    expect(open([turn([["git push", "failed"]])])).toEqual(["call_failed"]);
    expect(open([turn([["npm test", "failed"], ["npm test"]])])).toEqual([]);
    expect(open([turn([["rg nothing src", "failed"]])])).toEqual([]);
    expect(open([turn([["npm test", "failed"]]), turn([["git status"]])])).toEqual(["check_failed"]);
    expect(open([turn([["npm test", "failed"]]), turn([["git commit"]], edit("src/a.ts"))])).toEqual([]);
    expect(open([turn([["./deploy.sh", "failed"]]), turn([["git status"]])])).toEqual([]);
    expect(open([turn([["git push"], ["glab ci status --wait", "failed"]])])).toEqual(["check_failed"]);
    expect(open([turn([["git push", "denied"]]), turn([["git push -u origin other"]])])).toEqual([]);
    expect(open([turn([["git push", "denied"]])], [turn([["git push -u origin other"]])])).toEqual(["denied"]);
    // Talk leaves it as it was, unless it names it.
    expect(open([turn([["npm test", "failed"]]), turn([], { prompt: "mañana" })])).toEqual(["check_failed"]);
    expect(open([turn([["./deploy.sh", "failed"]]), turn([], { prompt: "deployed it myself" })])).toEqual([]);
  });

  it("but not the failure that answers a question, a look elsewhere, or what a change made needless", () => {
    expect(open([turn([["cargo test", "failed"]], { prompt: "do the tests pass?" })])).toEqual([]);
    expect(open([turn([["cargo test", "failed"]], { prompt: "do they pass?", ...edit("src/a.rs") })])).toEqual([
      "check_failed",
    ]);
    expect(open([turn([["ssh prod systemctl status worker", "failed"]])])).toEqual([]);
    expect(open([turn([["ssh prod 'systemctl restart worker'", "failed"]])])).toEqual(["call_failed"]);
    expect(open([turn([["docker compose exec app pytest -q", "failed"]])])).toEqual(["check_failed"]);
    expect(open([turn([["kubectl exec -it pod -- ls /data", "failed"]])])).toEqual([]);
    expect(open([turn([["python /tmp/repro.py", "failed"]])])).toEqual([]);
    expect(open([turn([["gitleaks --version", "failed"]])])).toEqual([]);
    const before = { edits: [{ path: "/p/a.sql", isNew: false, line: 50 }] };
    expect(open([turn([["fmtsql models", "failed"]], before)])).toEqual([]);
  });

  it("until the same succeeds in any session of the project, with as much or more", () => {
    const aside = (command: string): string[] => {
      const failed = turn([["npm test -- search", "failed"]]);
      const later = turn([[command]], { session: "other" });
      return evidenceIn({ turns: [failed] }, around([failed, later])).map(({ kind }) => kind);
    };
    expect(aside("npm test -- search")).toEqual([]);
    expect(aside("npm test")).toEqual([]);
    expect(aside("npm test -- coupons")).toEqual(["check_failed"]);
    expect(aside("npm run build")).toEqual(["check_failed"]);
    const pushed = (first: string, status: Step["status"], then: string): number => {
      const [stopped, later] = [turn([[first, status]]), turn([[then]], { session: "other" })];
      return evidenceIn({ turns: [stopped] }, around([stopped, later])).length;
    };
    // A push brings along what an earlier one could not.
    expect(pushed("git push origin main v1.0", "failed", "git push")).toBe(0);
    expect(pushed("git commit -m x && git push", "failed", "git commit -m y")).toBe(1);
    expect(pushed("terraform apply", "denied", "terraform apply")).toBe(0);
    expect(pushed("terraform apply", "denied", "terraform apply -target=a")).toBe(1);
  });

  it("a call that was refused, unless another had its effect", () => {
    expect(open([turn([["terraform force-unlock x", "denied"]])])).toEqual(["denied"]);
    expect(open([turn([["rm -rf build", "denied"], ["make clean"]])])).toEqual([]);
    expect(open([turn([["rm -rf build", "denied"], ["git commit -m x"]])])).toEqual(["denied"]);
  });

  it("a question at the end of a turn that changed nothing", () => {
    const words = { last_words: { text: "", line: 3 } };
    const final = "There are two ways. Which one do you want?\n\n1. the first\n2. the second";
    expect(open([turn([], { final, facts: words })])).toEqual(["unanswered_question"]);
    expect(open([turn([["git commit -m x"]], { final, facts: words })])).toEqual([]);
    expect(open([turn([], { final: "是否删除？", facts: words })])).toEqual(["unanswered_question"]);
  });

  it("steps that were never begun, a plan that was approved and not begun", () => {
    const items = [
      { text: "a", status: "completed" },
      { text: "b", status: "pending" },
    ] as const;
    expect(open([turn([], { facts: { todos: { items: [...items], line: 4 } } })])).toEqual(["open_todos"]);
    expect(open([turn([], { facts: { plan_approved: true } })])).toEqual(["plan_not_begun"]);
    expect(open([turn([], { facts: { plan_approved: true }, ...edit("a.ts") })])).toEqual([]);
    const planned = turn([], { facts: { plan_approved: true } });
    expect(open([planned, turn([], { prompt: "later" })])).toEqual(["plan_not_begun"]);
    expect(open([planned, turn([["git commit -m x"]])])).toEqual([]);
    const listed = turn([], { facts: { todos: { items: [...items], line: 4 } } });
    expect(open([listed, turn([], { prompt: "why so?" })])).toEqual(["open_todos"]);
    expect(open([listed, turn([], edit("b.ts"))])).toEqual([]);
  });

  it("a script that was never run, or only for show", () => {
    expect(open([turn([["bash -n scripts/night.sh"]], edit("scripts/night.sh"))])).toEqual(["not_run"]);
    expect(open([turn([["./scripts/night.sh"]], edit("scripts/night.sh"))])).toEqual([]);
    expect(open([turn([["python scripts/archive.py --dry-run"]])])).toEqual(["dry_run"]);
    expect(open([turn([["python scripts/archive.py --dry-run"], ["python scripts/archive.py"]])])).toEqual([]);
    // The human said what became of it: nothing was changed after he spoke.
    expect(open([turn([], edit("scripts/night.sh")), turn([["ls out"]])])).toEqual([]);
    expect(open([turn([], edit("migrations/0043_a.sql"))])).toEqual(["not_run"]);
    expect(open([turn([["npm run migrate:dev"]], edit("migrations/0043_a.sql"))])).toEqual([]);
    // A module that is imported is not run by itself.
    expect(open([turn([], edit("src/jobs/prune.ts"))])).toEqual([]);
  });

  it("what only a preview showed, once something was changed for it", () => {
    expect(open([turn([["terraform plan"]])])).toEqual([]);
    const changed = edit("dns.tf", false);
    expect(open([turn([["terraform plan"]], changed)])).toEqual(["dry_run"]);
    expect(open([turn([["terraform plan -out=p"], ["terraform apply p"]], changed)])).toEqual([]);
    expect(open([turn([["ansible-playbook site.yml --check"]])])).toEqual(["dry_run"]);
    // Whatever starts the script is written down in the file beside it.
    const beside = [...edit("scripts/night.sh").edits, ...edit("k8s/cronjob.yaml").edits];
    expect(open([turn([], { edits: beside })])).toEqual([]);
  });

  it("what was started and never looked at, but no server", () => {
    expect(open([turn([["sbatch train.sbatch"]])])).toEqual(["not_looked_at"]);
    const [queued, later] = [turn([["sbatch a"]]), turn([], { session: "other", facts: { watched: true } })];
    expect(evidenceIn({ turns: [queued] }, around([queued, later]))).toEqual([]);
    expect(open([turn([["gh workflow run release.yml"]])])).toEqual(["not_looked_at"]);
    expect(open([turn([["gh workflow run release.yml"], ["gh run watch"]])])).toEqual([]);
    expect(open([turn([["nohup python train.py > out.log 2>&1 &"]])])).toEqual(["not_looked_at"]);
    expect(open([turn([["npm run dev &"]])])).toEqual([]);
    // Saving the work is no look; what is echoed beside says nothing of what was started.
    expect(open([turn([["nohup ./fuzz/frame -runs=9 & echo started"], ["git commit -m x"]])])).toEqual([
      "not_looked_at",
    ]);
    expect(open([turn([["nohup ./fuzz/frame -runs=9 &"], ["./fuzz/report.sh"]])])).toEqual([]);
  });

  it("a request to merge, until it is merged or spoken of by its number", () => {
    const opened = turn([["gh pr create --fill"]]);
    expect(open([opened])).toEqual(["open_pr"]);
    expect(open([opened, turn([["gh pr merge 12 --squash"]])])).toEqual([]);
    expect(open([opened, turn([])])).toEqual(["open_pr"]);
    const numbered = turn([["gh pr create --fill"]], {
      facts: { steps: [{ line: 3, status: "ok", deeds: [{ kind: "open_pr", name: "12" }], about: "gh pr create" }] },
    });
    const aside = (later: WorkTurn): number => evidenceIn({ turns: [numbered] }, around([numbered, later])).length;
    expect(aside(turn([["gh pr merge 12"]], { session: "other" }))).toBe(0);
    expect(aside(turn([["gh pr merge 13"]], { session: "other" }))).toBe(1);
    expect(aside(turn([["git branch -d topic"]], { session: "other" }))).toBe(0);
    expect(aside(turn([], { session: "other", prompt: "PR 12 ist durch" }))).toBe(0);
    expect(aside(turn([], { session: "other", prompt: "PR 121 ist durch" }))).toBe(1);
  });

  it("a turn that did not finish, unless the human typed on", () => {
    const view = { outcome: "failed", outcome_detail: "usage limit", cwd: "/p", start_line: 1, end_line: 9 } as const;
    const broken = turn([], { view });
    expect(open([broken])).toEqual(["failed"]);
    expect(open([broken, turn([])])).toEqual([]);
    const other = (more: Partial<WorkTurn>): number =>
      evidenceIn({ turns: [begun] }, around([begun, turn([], { session: "other", ...more })])).length;
    const begun = turn([], { view, files: ["/p/src/wdt.rs"], prompt: "feed the watchdog" });
    expect(other({ prompt: "write the changelog" })).toBe(1);
    expect(other({ prompt: "take src/wdt.rs and finish" })).toBe(0);
    expect(other({ prompt: "go on", files: ["/p/src/wdt.rs"] })).toBe(0);
  });

  it("what was left in one session, until another speaks of it", () => {
    const failed = turn([["cargo publish", "failed"]], { prompt: "publish the frame parser crate" });
    const later = (prompt: string): number =>
      evidenceIn({ turns: [failed] }, around([failed, turn([], { session: "other", prompt })])).length;
    expect(later("the frame parser is published, I did it")).toBe(0);
    expect(later("update the dependencies")).toBe(1);
  });
});

describe("what the project usually does decides", () => {
  const commits = (): WorkTurn => turn([["git commit -m x"]], edit("src/a.ts", false));
  const leaves = (): WorkTurn => turn([], edit("src/a.ts", false));
  /** What is open after a turn where six others did as `make` does. */
  const openAfter = (make: () => WorkTurn, last: () => WorkTurn[]): string[] => {
    const others = Array.from({ length: 6 }, () => make());
    return open(last(), others);
  };

  it("whether files that are not committed are left over", () => {
    expect(openAfter(commits, () => [leaves()])).toEqual(["uncommitted"]);
    expect(openAfter(leaves, () => [leaves()])).toEqual([]);
    expect(open([leaves()])).toEqual([]);
  });

  it("whether commits that are not pushed are, and whether a branch is to be merged", () => {
    const pushes = (): WorkTurn => turn([["git commit -m x"], ["git push"]], edit("src/a.ts", false));
    expect(openAfter(pushes, () => [commits()])).toEqual(["unpushed"]);
    expect(openAfter(commits, () => [commits()])).toEqual([]);
    const aside = (): WorkTurn => turn([["git commit -m x"]], { ...edit("src/a.ts", false), branch: "topic" });
    expect(openAfter(commits, () => [aside()])).toEqual(["unmerged"]);
    expect(openAfter(commits, () => [aside(), turn([["git merge topic"]])])).toEqual([]);
    expect(openAfter(aside, () => [aside()])).toEqual([]);
  });
});

describe("what an agent said", () => {
  const said = "I could not test it here; the second half is still missing.";
  const place = ({ session }: WorkTurn): Placed => ({
    source: "claude-code",
    session_id: session,
    project: "p",
    day: "2026-01-01",
    session_ref: "S0001",
  });
  const quotes = (turns: readonly WorkTurn[]): (string | undefined)[] =>
    openThreads(turns, "p", place).map(({ said: one }: OpenThread) => one?.end.quote ?? undefined);

  it("is quoted, but not where records showed something open beside it and then closed it", () => {
    const words = { last_words: { text: said, line: 3 } };
    const plain = turn([["git status"]], { final: said, facts: words });
    expect(quotes([plain])).toEqual([said]);
    const failed = turn([["git push", "failed"]], { final: said, facts: words, prompt: "publish the parser" });
    expect(quotes([failed])).toEqual([undefined]);
    const pushed = turn([["git push"]], { session: "other", prompt: "unrelated words entirely", final: "Pushed." });
    expect(quotes([failed, pushed])[0]).toBeUndefined();
    expect(openThreads([failed, pushed], "p", place).map(({ end }) => end)).toEqual([null, null]);
  });
});
