import type {
  TeamAsker,
  TeamFailuresAnswer,
  TeamSearchAnswer,
  TeamTurnsAnswer,
  TeamUsageAnswer,
} from "../../../views/team.ts";
import type { Problem } from "../answers.ts";

export type { Problem } from "../answers.ts";
export type {
  TeamAsker,
  TeamFailure,
  TeamFailuresAnswer,
  TeamGroup,
  TeamHit,
  TeamSearchAnswer,
  TeamTurn,
  TeamTurnsAnswer,
  TeamUsageAnswer,
  TeamView,
} from "../../../views/team.ts";

/** The answers of a team's server; `docs/team-openapi.json` is generated from these types and its routes. */
export interface TeamApiAnswers {
  TeamAsker: TeamAsker;
  TeamUsageAnswer: TeamUsageAnswer;
  TeamFailuresAnswer: TeamFailuresAnswer;
  TeamTurnsAnswer: TeamTurnsAnswer;
  TeamSearchAnswer: TeamSearchAnswer;
  Problem: Problem;
}
