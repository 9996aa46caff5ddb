/** A file that turns changed. */
export interface ChangedFile {
  path: string;
  /** Project of the turn that changed the file last. */
  project: string;
  turns: number;
  last_time: string | null;
}

/** Selects files, in addition to project and days. */
export interface FileChoice {
  /** Part of the path; case is ignored. */
  text?: string | undefined;
}

export function matchesPath(path: string, { text = "" }: FileChoice): boolean {
  return path.toLowerCase().includes(text.toLowerCase());
}

/** The file name in a path with slashes or backslashes. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
