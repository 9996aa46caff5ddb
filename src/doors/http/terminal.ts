import { spawn } from "node:child_process";

/** A terminal program the user named: its words, before the command that a shell in it runs. */
export type Terminal = readonly [string, ...string[]];

/** Opens a window of the terminal in which the command runs. It outlives the server. Rejects if the program cannot start. */
export async function openIn([program, ...words]: Terminal, command: string): Promise<void> {
  const child = spawn(program, [...words, command], { detached: true, stdio: "ignore" });
  await new Promise<void>((done, failed) => {
    child.once("spawn", done);
    child.once("error", failed);
  });
  child.unref();
}
