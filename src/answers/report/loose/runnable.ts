import type { Deed } from "../../../views/facts/steps.ts";

const SCRIPTS =
  /^(?:(?!src\/|lib\/).)*(?:^|\/)(?:scripts?|bin|tools?|ops|hack|maintenance|one-?off|backfills?)\/[^/]+\.(?:[cm]?[jt]s|sh|bash|zsh|py|rb|pl|php|ps1|sql|R|jl|lua)$/;
const SHELL = /\.(?:sh|bash|ps1)$/;
const MIGRATION =
  /(?:^|\/)(?:migrations?|migrate|versions|changelogs?|flyway)\/(?:[^/]+\/)*[^/]*\d[^/]*(?:\/(?:migration|up))?\.(?:sql|py|rb|php|cs|kt|exs?|[cm]?[jt]s|xml|ya?ml)$/i;
/** Files that start others: what is written beside a change of one is not meant to be run by hand. */
const STARTERS =
  /(?:^|\/)(?:makefile|justfile|rakefile|procfile|dockerfile[^/]*|jenkinsfile|package\.json|crontab|[^/]+\.(?:ya?ml|toml|cron|timer|service|plist|tf))$/i;
/** Tests and helpers beside scripts are not run by themselves. */
const NOT_ALONE =
  /(?:^|\/)(?:__init__|conftest|index|utils?|helpers?|common|lib)\.|[._-](?:test|spec)\.|(?:^|\/)test_/i;
const MIGRATES =
  /migrat|alembic|flyway|liquibase|sqitch|dbmate|goose|prisma|knex|sequelize|typeorm|schema|\bdb\b|psql|mysql|sqlite/i;

/** A file that is written to be run, by its place and name. */
export function isScript(path: string): boolean {
  return (SCRIPTS.test(path) || SHELL.test(path)) && !NOT_ALONE.test(path);
}

/** A file that says when and how others are run. */
export function isStarter(path: string): boolean {
  return STARTERS.test(path);
}

/** A change of a database, as migration tools keep them. */
export function isMigration(path: string): boolean {
  return MIGRATION.test(path);
}

/** `backfill` of `scripts/backfill.py`, `etl.backfill` and `npm backfill`, without marks between its words. */
export function stemOf(name: string): string {
  const base = name.split(/[/ ]/).at(-1) ?? name;
  const stem =
    base
      .replace(/\.(?:[a-z]{1,4}\d?)$/i, "")
      .split(".")
      .at(-1) ?? base;
  return stem.toLowerCase().replace(/[-_:]/g, "");
}

/** Whether a call ran the file. A migration also counts as run when something brought the database up, or passed a check. */
export function ranAs(path: string, about: string, deeds: readonly Deed[]): boolean {
  const acts = deeds.filter(({ kind, dry }) => !dry && (kind === "run" || kind === "check" || kind === "deploy"));
  if (acts.length === 0) return false;
  if (isMigration(path)) return acts.some(({ kind, name }) => kind !== "run" || MIGRATES.test(`${name} ${about}`));
  const stem = stemOf(path);
  return about.includes(path.split("/").at(-1) ?? path) || acts.some(({ name }) => stemOf(name) === stem);
}
