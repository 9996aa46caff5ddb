import type { Register } from "../register.ts";
import { audit } from "./audit.ts";
import { collect } from "./collect.ts";
import { completions } from "./completions.ts";
import { context } from "./context.ts";
import { decisions } from "./decisions.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { inspect } from "./inspect.ts";
import { list } from "./list.ts";
import { prepare } from "./prepare.ts";
import { report } from "./report.ts";
import { search } from "./search.ts";
import { sessions } from "./sessions.ts";
import { show } from "./show.ts";
import { statusline } from "./statusline.ts";
import { sync } from "./sync.ts";
import { tools } from "./tools.ts";
import { turns } from "./turns.ts";
import { usage } from "./usage.ts";
import { validate } from "./validate.ts";

/** By name, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Register>> = {
  report,
  sync,
  sessions,
  turns,
  tools,
  context,
  decisions,
  show,
  search,
  usage,
  statusline,
  explain,
  audit,
  prepare,
  list,
  inspect,
  collect,
  export: exportCommand,
  validate,
  doctor,
  completions,
};
