"use strict";
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");
const vm = require("node:vm");

const DIST = path.join(__dirname, "..", "dist");
/** Modules of Node that cost milliseconds to load and that most commands never use. */
const COSTLY = new Set(
  [
    "child_process",
    "crypto",
    "os",
    "stream",
    "stream/promises",
    "timers/promises",
    "tty",
    "url",
    "v8",
    "worker_threads",
    "zlib",
  ].map((name) => `node:${name}`),
);
const requireHere = createRequire(path.join(DIST, "cli.cjs"));

/** The parts of the program that have run, and their scripts. */
const parts = new Map();
const scripts = new Map();

/**
 * A part as a script, with the code V8 made of it when it was built: compiling it anew takes 15 to 20 ms of a command's 60 to 80.
 * Node's own compile cache (from 22 on) saves half of that.
 */
function scriptOf(name) {
  const filename = path.join(DIST, `${name}.cjs`);
  // The build leaves nothing but ASCII, which need not be decoded.
  const source = `(function (exports, require, module, __filename) {${readFileSync(filename, "latin1")}\n})`;
  const script = new vm.Script(source, { filename, cachedData: codeOf(name) });
  scripts.set(name, script);
  return script;
}

/** Another Node than the one that built it refuses the code and compiles; without it everything works, a little later. */
function codeOf(name) {
  try {
    return readFileSync(path.join(DIST, `${name}.code`));
  } catch {
    return undefined;
  }
}

/** Runs a part the way `require` would, once. */
function partOf(name) {
  let module = parts.get(name);
  if (!module) {
    parts.set(name, (module = { exports: {}, loaded: false }));
    scriptOf(name).runInThisContext()(module.exports, requireLazily, module, path.join(DIST, `${name}.cjs`));
    module.loaded = true;
  }
  return module;
}

/** What a part calls to have another: it is loaded when something of it is first used. */
function requireLazily(id) {
  if (id.startsWith("./")) return lazily(() => partOf(id.slice("./".length, -".cjs".length)));
  return COSTLY.has(id) ? lazily(() => ({ exports: requireHere(id), loaded: true })) : requireHere(id);
}

/** Stands for an object that is made when the first of its properties is asked for; from then on has them itself. */
function lazily(make) {
  const stand = Object.create(
    new Proxy(Object.prototype, {
      get(_, name) {
        const { exports: made, loaded } = make();
        // Of a part that is still beginning, what it will export is not all there.
        if (loaded) {
          Object.defineProperties(stand, Object.getOwnPropertyDescriptors(made));
          Object.setPrototypeOf(stand, Object.prototype);
        }
        return made[name];
      },
    }),
  );
  return stand;
}

exports.load = (name) => partOf(name).exports;
exports.scripts = scripts;
