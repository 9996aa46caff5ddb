/** The login of the server. It has no rights of its own. */
export const LOGIN = "daybook_api";

/** The roles a transaction may take. `docs/team-schema.md` says what each may see. */
export type ActingRole = "daybook_auth" | "daybook_dev" | "daybook_lead" | "daybook_auditor" | "daybook_admin";

/** None of these can log in, except from one node of a cluster to another. The first two own the database objects. */
export const ROLES: readonly string[] = [
  "daybook_owner",
  "daybook_reader",
  ...(["daybook_auth", "daybook_dev", "daybook_lead", "daybook_auditor", "daybook_admin"] satisfies ActingRole[]),
];
