/** What lies over the page: one at a time. */
export const overlay: { open: "palette" | "help" | "settings" | null } = $state({ open: null });
