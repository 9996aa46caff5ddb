import { expect, it } from "vitest";
import { DAYS, month, TRUTH } from "./month.ts";

/** TRUTH.json does not list the commits that `git revert` makes. */
const isRevert = (subject: string | null): boolean => subject?.startsWith("Revert ") === true;

it("every commit of the month is listed with its turn, hash and subject, directly and from the book", async () => {
  const wanted = TRUTH.sessions.flatMap(({ session, turns }) =>
    turns.flatMap(({ turn, commits }) =>
      commits.map(({ hash, branch, subject, amend }) => `${session}/${turn} ${branch} ${hash} ${subject} ${amend}`),
    ),
  );
  for (const withBook of [false, true]) {
    const daybook = month(withBook);
    const { projects } = await daybook.report({ since: DAYS[0], until: DAYS.at(-1) });
    const listed = projects.flatMap((project) =>
      project.turns.flatMap((turn) =>
        (turn.commits ?? [])
          .filter(({ subject }) => !isRevert(subject))
          .map(
            ({ hash, branch, subject, amended }) =>
              `${turn.session_id}/${turn.turn_ref} ${branch} ${hash} ${subject} ${amended}`,
          ),
      ),
    );
    expect(listed.toSorted()).toEqual(wanted.toSorted());
    daybook.close();
  }
});
