import * as fc from "fast-check";

// Mutation tests only need to know whether a test fails, so shrinking the counterexample is skipped.
fc.configureGlobal({ endOnFailure: true });
