/** The login of the server. It has no rights of its own. */
export const LOGIN = "daybook_api";

/** The roles a transaction may take. `docs/team-schema.md` says what each may see. */
export type ActingRole = "daybook_auth" | "daybook_dev" | "daybook_lead" | "daybook_auditor" | "daybook_admin";

/**
 * None of these can log in, except from one node of a cluster to another. The first three own the database objects.
 * `daybook_report` is for logins of dashboards, which the administrator creates.
 */
export const ROLES: readonly string[] = [
  "daybook_owner",
  "daybook_reader",
  "daybook_reporter",
  "daybook_report",
  ...(["daybook_auth", "daybook_dev", "daybook_lead", "daybook_auditor", "daybook_admin"] satisfies ActingRole[]),
];
