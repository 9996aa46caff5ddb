import type { ApiAnswers, SessionCard } from "../../src/doors/http/answers.ts";

/** What the API answers, by the names of its document. */
export type Schemas = ApiAnswers & { SessionCard: SessionCard };
