import * as fc from "fast-check";

// Whether a mutant lives is the question here, not the shortest story that shows it.
fc.configureGlobal({ endOnFailure: true });
