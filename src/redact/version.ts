/**
 * Names the rules of this folder. Rows of the index say whether these rules hide anything of them, so other rules make another
 * index. A test holds it equal to what is in the files.
 */
export const RULES_VERSION = "593dc999e485";
