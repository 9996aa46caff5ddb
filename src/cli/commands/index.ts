import type { Register } from "../register.ts";
import { audit } from "./audit.ts";
import { blame } from "./blame.ts";
import { collect } from "./collect.ts";
import { commit } from "./commit.ts";
import { completions } from "./completions.ts";
import { context } from "./context.ts";
import { decisions } from "./decisions.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { file } from "./file.ts";
import { forget } from "./forget.ts";
import { handoff } from "./handoff.ts";
import { inspect } from "./inspect.ts";
import { label } from "./label.ts";
import { list } from "./list.ts";
import { mcp } from "./mcp.ts";
import { narrate } from "./narrate.ts";
import { note } from "./note.ts";
import { prepare } from "./prepare.ts";
import { push } from "./push.ts";
import { recall } from "./recall.ts";
import { report } from "./report.ts";
import { resume } from "./resume.ts";
import { search } from "./search.ts";
import { serve } from "./serve.ts";
import { sessions } from "./sessions.ts";
import { show } from "./show.ts";
import { star } from "./star.ts";
import { statuslineCommand } from "./statusline.ts";
import { sync } from "./sync.ts";
import { team } from "./team.ts";
import { tools } from "./tools.ts";
import { turns } from "./turns.ts";
import { usage } from "./usage.ts";
import { validate } from "./validate.ts";

/** Of those that are asked less often the program loads the code when it is needed. */
const later =
  (register: () => Register): Register =>
  (program, io, exit) =>
    register()(program, io, exit);

/** By name, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Register>> = {
  report,
  serve: later(() => serve),
  mcp: later(() => mcp),
  sync: later(() => sync),
  sessions,
  turns,
  tools: later(() => tools),
  context: later(() => context),
  decisions: later(() => decisions),
  show: later(() => show),
  blame: later(() => blame),
  file: later(() => file),
  commit: later(() => commit),
  resume: later(() => resume),
  handoff: later(() => handoff),
  star: later(() => star),
  label: later(() => label),
  note: later(() => note),
  search,
  recall: later(() => recall),
  usage,
  statusline: later(() => statuslineCommand),
  explain: later(() => explain),
  audit: later(() => audit),
  prepare: later(() => prepare),
  narrate: later(() => narrate),
  list: later(() => list),
  inspect: later(() => inspect),
  collect: later(() => collect),
  export: later(() => exportCommand),
  validate: later(() => validate),
  doctor: later(() => doctor),
  team: later(() => team),
  forget: later(() => forget),
  push: later(() => push),
  completions: later(() => completions),
};
