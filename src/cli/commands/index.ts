import type { Register } from "../register.ts";
import { audit } from "./audit.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { report } from "./report.ts";
import { sessions } from "./sessions.ts";
import { show } from "./show.ts";
import { tools } from "./tools.ts";
import { turns } from "./turns.ts";
import { usage } from "./usage.ts";
import { validate } from "./validate.ts";

/** In the order of the help text. */
export const COMMANDS: readonly Register[] = [
  report,
  sessions,
  turns,
  tools,
  show,
  usage,
  explain,
  audit,
  exportCommand,
  validate,
  doctor,
];
