import type { Register } from "../flags.ts";
import { audit, explain, validate } from "./audit.ts";
import { blame, commit, file } from "./code.ts";
import { workspace } from "./workspace.ts";
import { completions } from "./completions.ts";
import { context } from "./context.ts";
import { decisions } from "./decisions.ts";
import { doctor } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { forget } from "./forget.ts";
import { handoff, resume } from "./continue.ts";
import { mark } from "./mark.ts";
import { mcp } from "./mcp.ts";
import { narrate } from "./narrate.ts";
import { push } from "./push.ts";
import { recall } from "./recall.ts";
import { report, standup, today, week, yesterday } from "./report.ts";
import { review } from "./review.ts";
import { search } from "./search.ts";
import { serve } from "./serve.ts";
import { sessions } from "./sessions.ts";
import { show } from "./show.ts";
import { statuslineCommand } from "./statusline.ts";
import { sync } from "./sync.ts";
import { team } from "./team.ts";
import { tools } from "./tools.ts";
import { turns } from "./turns.ts";
import { usage } from "./usage.ts";

/** Loads the code of less used commands only when they run. */
const lazy =
  (register: () => Register): Register =>
  (program, io, exit) =>
    register()(program, io, exit);

/** By name, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Register>> = {
  report,
  today,
  yesterday,
  week,
  standup,
  serve: lazy(() => serve),
  mcp: lazy(() => mcp),
  sync: lazy(() => sync),
  sessions,
  turns,
  tools: lazy(() => tools),
  context: lazy(() => context),
  decisions: lazy(() => decisions),
  show: lazy(() => show),
  blame: lazy(() => blame),
  file: lazy(() => file),
  commit: lazy(() => commit),
  resume: lazy(() => resume),
  handoff: lazy(() => handoff),
  mark: lazy(() => mark),
  search,
  recall: lazy(() => recall),
  usage,
  statusline: lazy(() => statuslineCommand),
  explain: lazy(() => explain),
  audit: lazy(() => audit),
  workspace: lazy(() => workspace),
  review: lazy(() => review),
  narrate: lazy(() => narrate),
  export: lazy(() => exportCommand),
  validate: lazy(() => validate),
  doctor: lazy(() => doctor),
  team: lazy(() => team),
  forget: lazy(() => forget),
  push: lazy(() => push),
  completions: lazy(() => completions),
};
