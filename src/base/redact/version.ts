/**
 * Identifies the rules of this folder. Index rows store whether these rules hide anything in them, so changed rules
 * require a new index. A test compares it with a hash of the files.
 */
export const RULES_VERSION = "ef10f99f673d";
