"use strict";
// `import()` for the parts of the program: they are run as scripts, in which Node offers none.
const { register } = require("node:module");
const { pathToFileURL } = require("node:url");

let isPackageKnown = false;

/** A module by its URL or the name of a package. Whatever it imports from `agent-daybook` is this package. */
exports.importModule = (name) => {
  if (!isPackageKnown) register("./own-package.mjs", pathToFileURL(__filename));
  isPackageKnown = true;
  return import(name);
};
