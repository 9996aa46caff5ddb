/** The login of the server. It may do nothing itself. */
export const LOGIN = "daybook_api";

/** What a transaction may be run as. `docs/team-schema.md` says what each may see. */
export type ActingRole = "daybook_auth" | "daybook_dev" | "daybook_lead" | "daybook_auditor" | "daybook_admin";

/** Nobody can log in as one of these. The first two own what there is. */
export const ROLES: readonly string[] = [
  ...["daybook_owner", "daybook_reader"],
  ...(["daybook_auth", "daybook_dev", "daybook_lead", "daybook_auditor", "daybook_admin"] satisfies ActingRole[]),
];
