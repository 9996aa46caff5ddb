"use strict";
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");
const vm = require("node:vm");

const DIST = path.join(__dirname, "..", "dist");

/** A bundle as a script, with the code V8 made of it when it was built: compiling it anew is half of what a small command costs. */
function scriptOf(name) {
  const filename = path.join(DIST, `${name}.cjs`);
  return new vm.Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, "utf8")}\n})`,
    {
      filename,
      cachedData: codeOf(name),
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  );
}

/** Another Node than the one that built it refuses the code and compiles; without it everything works, a little later. */
function codeOf(name) {
  try {
    return readFileSync(path.join(DIST, `${name}.code`));
  } catch {
    return undefined;
  }
}

/** Runs a script made by `scriptOf` the way `require` would; returns what it exports. */
function run(script, name) {
  const filename = path.join(DIST, `${name}.cjs`);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(filename), module, filename, path.dirname(filename));
  return module.exports;
}

exports.scriptOf = scriptOf;
exports.run = run;
exports.load = (name) => run(scriptOf(name), name);
