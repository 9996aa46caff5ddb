import * as fc from "fast-check";

// The same code passes or fails the same way each time it is tested. `DAYBOOK_TEST_SEED=random` looks further, and a
// number, which a failure prints, looks there again.
const asked = process.env["DAYBOOK_TEST_SEED"] ?? "20260101";
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });
