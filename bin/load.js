"use strict";
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");
const vm = require("node:vm");
const { CodeCache } = require("./code-cache.js");

const DIST = path.join(__dirname, "..", "dist");
/** Node modules that take milliseconds to load and that most commands never use. */
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
  ].map((name) => `node:${name}`),
);
const requireHere = createRequire(path.join(DIST, "cli.cjs"));

/** Parts of the program that have been loaded, and their scripts. */
const parts = new Map();
const scripts = new Map();

const cache = new CodeCache(DIST);
const WRAPPER = ["(function (exports, require, module, __filename) {", "\n})"];

/**
 * Loads a part as a script with the V8 code cache made for it: compiling it would take 15 to 20 ms of a command's 60 to
 * 80. Node's own compile cache (since 22) saves only half of that.
 */
function scriptOf(name) {
  const filename = path.join(DIST, `${name}.cjs`);
  const source = readFileSync(filename);
  const cachedData = cache.codeOf(name, source, WRAPPER.join(""));
  // The build writes ASCII only, so latin1 avoids UTF-8 decoding.
  const script = new vm.Script(WRAPPER.join(source.latin1Slice()), { filename, cachedData });
  scripts.set(name, script);
  return script;
}

/** Runs a part once, the way `require` would. */
function partOf(name) {
  let module = parts.get(name);
  if (!module) {
    parts.set(name, (module = { exports: {}, loaded: false }));
    scriptOf(name).runInThisContext()(module.exports, requireLazily, module, path.join(DIST, `${name}.cjs`));
    module.loaded = true;
  }
  return module;
}

/** The `require` given to parts: another part is loaded when one of its exports is first used. */
function requireLazily(id) {
  if (id.startsWith("./")) return lazily(() => partOf(id.slice("./".length, -".cjs".length)));
  return COSTLY.has(id) ? lazily(() => ({ exports: requireHere(id), loaded: true })) : requireHere(id);
}

/** A placeholder that creates the real object on the first property access and then takes over its properties. */
function lazily(make) {
  const placeholder = Object.create(
    new Proxy(Object.prototype, {
      get(_, name) {
        const { exports: made, loaded } = make();
        // A part that is still loading has not defined all its exports yet.
        if (loaded) {
          Object.defineProperties(placeholder, Object.getOwnPropertyDescriptors(made));
          Object.setPrototypeOf(placeholder, Object.prototype);
        }
        return made[name];
      },
    }),
  );
  return placeholder;
}

exports.load = (name) => partOf(name).exports;
/** Makes the next start of this command faster, when the process ends. Threads end without notice and leave it alone. */
exports.keepCode = (command) => process.on("exit", () => cache.keep(scripts, command));
exports.buildCode = () => cache.build(scripts);
exports.scripts = scripts;
