// What tests import of vitest, for tests that are run in one process: see in-process.js.
import { chai, vi, expect } from "vitest";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

export { expect, vi };

let file = "";
/** The file of the test that is being run. */
let running = "";
chai.use(({ Assertion }, util) => {
  Assertion.prototype.toMatchFileSnapshot = function (path) {
    expect(util.flag(this, "object")).toBe(readFileSync(resolve(dirname(running), path), "utf8"));
  };
});
const suites = [];
const root = suiteOf("", null);
let current = root;
const ids = new Map();
const found = [];

function suiteOf(name, parent) {
  const suite = { name, parent, beforeAll: [], beforeEach: [], afterEach: [], afterAll: [], begun: false, left: 0 };
  suites.push(suite);
  return suite;
}

export function inFile(path) {
  file = path;
}

function addSuite(name, body) {
  const outer = current;
  current = suiteOf(`${outer.name} ${nameOf(name)}`.trim(), outer);
  body();
  current = outer;
}

function addTest(name, options, body) {
  const run = typeof options === "function" ? options : body;
  const full = `${file}#${current.name} ${nameOf(name)}`;
  const n = (ids.get(full) ?? 0) + 1;
  ids.set(full, n);
  const around = [];
  for (let suite = current; suite; suite = suite.parent) around.unshift(suite);
  for (const suite of around) suite.left += 1;
  const id = n === 1 ? full : `${full} (${n})`;
  const path = file;
  const begin = () => {
    running = path;
    return once(run, around);
  };
  found.push({ id, name: id, file, run: begin });
}

const nameOf = (name) => (typeof name === "function" ? name.name : name);

/** Null, or what went wrong. */
async function once(run, around) {
  try {
    for (const suite of around) {
      if (!suite.begun) for (const hook of suite.beforeAll) await hook();
      suite.begun = true;
      for (const hook of suite.beforeEach) await hook();
    }
    await run({});
    return null;
  } catch (error) {
    return error ?? new Error("nothing was thrown");
  } finally {
    for (const suite of around.toReversed()) {
      for (const hook of suite.afterEach) await hook();
      suite.left -= 1;
      if (suite.left === 0) for (const hook of suite.afterAll) await hook();
    }
  }
}

function each(add) {
  return (table) => (name, body) =>
    table.forEach((row, n) => add(`${nameOf(name)} [${n}]`, () => (Array.isArray(row) ? body(...row) : body(row))));
}

function withForms(add) {
  const nothing = Object.assign(() => undefined, { each: () => () => undefined });
  const forms = { each: each(add), skip: nothing };
  return Object.assign(add, forms, { skipIf: (no) => (no ? nothing : add), runIf: (yes) => (yes ? add : nothing) });
}

export const describe = withForms(addSuite);
export const it = withForms((name, options, body) => addTest(name, options, body));
export const beforeAll = (hook) => void current.beforeAll.push(hook);
export const beforeEach = (hook) => void current.beforeEach.push(hook);
export const afterEach = (hook) => void current.afterEach.push(hook);
export const afterAll = (hook) => void current.afterAll.push(hook);
export const tests = () => found;

/** Where not all tests are run, what is to be done after all is still to be done: their files would be left behind. */
export async function end() {
  for (const suite of suites.toReversed())
    if (suite.begun && suite.left > 0) for (const hook of suite.afterAll) await hook();
}
