import { DaybookError } from "../../base/errors.ts";
import { type CitedLines, findTarget, type FoundTarget, noSessionError, parseTarget } from "../find.ts";
import { checkedAgent, handoff as handoffIn } from "../handoff.ts";
import type { HandoffQuery } from "../questions.ts";
import { sessions } from "../lists.ts";
import { explainLines, type Explanation } from "../../book/reading/explain.ts";
import { resumeOf, type ResumeView } from "../../book/reading/resume.ts";
import type { Handoff } from "../report/handoff/model.ts";
import { ONLY_SESSIONS } from "../../index/tables/remote-demand.ts";
import type { Question } from "./question.ts";

interface Target {
  target: string;
}

export const find: Question<{}, FoundTarget, Target> = {
  name: "find",
  about: "a session, with the turn and the lines that the target names: `SESSION[/TURN][:LINE[-LINE]]`",
  query: {},
  answer: null,
  needs: () => ({ store: ONLY_SESSIONS }),
  ask: (ctx, { target }) => findTarget(ctx, target),
};

export const explain: Question<{}, Explanation[], Target> = {
  name: "explain",
  about: "how native lines were understood and why: `SESSION[/TURN]:LINE[-LINE]`",
  query: {},
  answer: "explain",
  needs: ({ target }) => {
    lineIn(target);
    return { store: ONLY_SESSIONS };
  },
  ask: async (ctx, { target }) => {
    const { wanted, lines } = lineIn(target);
    const { session } = await findTarget(ctx, wanted);
    const path = session.parts.find((part) => part.path === wanted || part.path.endsWith(`/${wanted}`))?.path ?? null;
    return explainLines(session, lines, path);
  },
};

function lineIn(target: string): { wanted: string; lines: CitedLines } {
  const { wanted, lines } = parseTarget(target);
  if (lines !== null) return { wanted, lines };
  throw new DaybookError(`explain takes SESSION:LINE, not ${target}`, {
    code: "usage",
    op: "explain line",
    hint: "for example daybook explain 019e2f1c:12",
  });
}

export const resume: Question<{}, ResumeView, Target> = {
  name: "resume",
  about: "how the session's agent can resume it, or why it cannot",
  query: {},
  answer: "resume",
  needs: () => ({ store: ONLY_SESSIONS }),
  ask: async (ctx, { target }) => {
    const [session] = await sessions(ctx, { session: parseTarget(target).wanted });
    if (!session) throw noSessionError(target);
    return resumeOf(session, ctx.snapshot.opened().refs);
  },
};

export const handoff: Question<{}, Handoff, Target & HandoffQuery> = {
  name: "handoff",
  about: "a brief from which another agent can continue; up to a turn if the target names one",
  query: {},
  answer: "handoff",
  needs: (query) => {
    // An unknown agent is reported before anything is read.
    checkedAgent(query);
    return {};
  },
  ask: (ctx, { target, ...query }) => handoffIn(ctx, target, query, checkedAgent(query)),
};
