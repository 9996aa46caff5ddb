import { spawn } from "node:child_process";
import { AgentFailed } from "./failed.ts";

export interface ProgramRun {
  words: readonly string[];
  cwd: string;
  input: string;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

export interface ProgramOutput {
  code: number | null;
  out: string;
  err: string;
}

/** Maximum size of the output: 16 MiB. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a program to its end, without a shell. Aborting the signal ends the program. */
export async function runProgram(run: ProgramRun): Promise<ProgramOutput> {
  const [program = "", ...words] = run.words;
  return new Promise((resolve, reject) => {
    const { cwd, env, signal } = run;
    const child = spawn(program, words, { cwd, env: { ...env }, stdio: "pipe", ...(signal ? { signal } : {}) });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) child.kill();
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (err.length < 64) err.push(chunk);
    });
    // A program that exits without reading the prompt is judged by its output.
    child.stdin.on("error", () => undefined);
    child.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? `there is no program ${program}` : error.message;
      reject(signal?.aborted === true ? error : new AgentFailed(program, why));
    });
    child.on("close", (code) => {
      if (size > MAX_OUTPUT_BYTES) reject(new AgentFailed(program, "it printed more than any answer has"));
      else resolve({ code, out: text(out), err: text(err) });
    });
    child.stdin.end(run.input);
  });
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
