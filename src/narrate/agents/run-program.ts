import { spawn } from "node:child_process";
import { AgentFailed } from "./failed.ts";

export interface ProgramRun {
  words: readonly string[];
  cwd: string;
  input: string;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

export interface Printed {
  code: number | null;
  out: string;
  err: string;
}

/** More is no answer: 16 MiB. */
const MOST = 16 * 1024 * 1024;

/** Runs a program of the user's to its end, word by word, without a shell. What is aborted is ended. */
export async function runProgram(run: ProgramRun): Promise<Printed> {
  const [program = "", ...words] = run.words;
  return new Promise((resolve, reject) => {
    const { cwd, env, signal } = run;
    const child = spawn(program, words, { cwd, env: { ...env }, stdio: "pipe", ...(signal ? { signal } : {}) });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST) child.kill();
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (err.length < 64) err.push(chunk);
    });
    // Whoever ends without reading the prompt is judged by what it printed.
    child.stdin.on("error", () => undefined);
    child.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? `there is no program ${program}` : error.message;
      reject(signal?.aborted === true ? error : new AgentFailed(program, why));
    });
    child.on("close", (code) => {
      if (size > MOST) reject(new AgentFailed(program, "it printed more than any answer has"));
      else resolve({ code, out: text(out), err: text(err) });
    });
    child.stdin.end(run.input);
  });
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
