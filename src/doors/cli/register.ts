import type { Command } from "commander";
import type { Io } from "./io.ts";

/** Adds one command to the program. `exit` sets the code the process ends with. */
export type Register = (program: Command, io: Io, exit: (code: number) => void) => void;
