import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BlameView } from "../../src/answers/daybook.ts";
import { scratch, type Roots } from "../store/fixture.ts";

/** A repository that real agents and a human wrote in turns, and who really wrote each line. */
export interface MadeRepository {
  roots: Roots;
  steps: { by: "agent" | "human"; tag?: string }[];
  /** By file: the step that wrote each line, or the steps that may be named for it. */
  files: Record<string, (number | number[])[]>;
  /** Creates the repository in a directory of that name, and returns its path. */
  lay: (name: string) => string;
}

const MADE = fileURLToPath(new URL("../fixtures/blame", import.meta.url));

export function madeRepository(name: string): MadeRepository {
  const dir = join(MADE, name);
  const truth = JSON.parse(readFileSync(join(dir, "truth.json"), "utf8")) as Pick<MadeRepository, "steps" | "files">;
  const stores = readdirSync(dir, { withFileTypes: true }).filter((one) => one.isDirectory() && one.name !== "tree");
  const roots: Record<string, string[]> = {};
  // The same agent may have worked with two sets of tools.
  for (const { name: store } of stores) (roots[store.replace(/-classic$/, "")] ??= []).push(join(dir, store));
  return { ...truth, roots, lay: (as) => checkOut(dir, as) };
}

function checkOut(dir: string, name: string): string {
  const repo = join(scratch("made"), name);
  const bundle = join(dir, "repo.bundle");
  if (existsSync(bundle)) execFileSync("git", ["clone", "-q", "-b", "main", bundle, repo]);
  else mkdirSync(repo, { recursive: true });
  for (const one of readdirSync(repo)) if (one !== ".git") rmSync(join(repo, one), { recursive: true });
  cpSync(join(dir, "tree"), repo, { recursive: true });
  return repo;
}

export interface Score {
  written: number;
  found: number;
  wrong: string[];
}

/** Compares who really wrote each line with whom Daybook names: every request contains the tag of its step. */
export function scored({ steps, files }: MadeRepository, views: Readonly<Record<string, BlameView>>): Score {
  const score: Score = { written: 0, found: 0, wrong: [] };
  for (const [file, steppedLines] of Object.entries(files)) {
    const view = views[file];
    const tags = new Map(view?.turns.map(({ turn, request }) => [turn, /\[lab:(\w+)\]/.exec(request)?.[1]]));
    for (const [i, writers] of steppedLines.entries()) {
      const wanted = [writers].flat().map((step) => steps[step]);
      const turn = view?.lines[i]?.turn ?? null;
      if (wanted[0]?.by === "agent") score.written++;
      if (turn === null) continue;
      if (wanted.some((step) => step?.tag !== undefined && step.tag === tags.get(turn))) score.found++;
      else score.wrong.push(`${file}:${i + 1} ${view?.lines[i]?.text}: ${tags.get(turn)}, not ${wanted[0]?.tag}`);
    }
  }
  return score;
}
