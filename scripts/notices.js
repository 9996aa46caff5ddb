// Collects the licences of third-party work in the program: of bundled packages, of packages that those had bundled
// themselves, and of data. A package without a known licence text fails the build.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Packages contained in a published file of another package, with their copyright lines. All use the MIT licence. */
const INSIDE = {
  "@textlint/regexp-string-matcher": "Copyright (c) azu",
  "content-type": "Copyright (c) 2015 Douglas Christopher Wilson",
  "escape-string-regexp": "Copyright (c) Sindre Sorhus <sindresorhus@gmail.com> (https://sindresorhus.com)",
  ...lodash("sortby", "uniq", "uniqwith"),
};

/** Packages published without a licence file; they name the MIT licence. */
const UNFILED = {
  "@hono/zod-openapi": "Copyright (c) 2021 - present, Yusuke Wada and Hono contributors",
  "@hono/zod-validator": "Copyright (c) 2021 - present, Yusuke Wada and Hono contributors",
  "pg-types": "Copyright (c) 2014 Brian M. Carlson",
  pgpass: "Copyright (c) 2013-2016 Hannes Hörl",
};

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** What data/prices.json was made from. */
const DATA = "@pydantic/genai-prices";

export function noticesOf(modules) {
  const paths = [...modules].map((id) => id.replaceAll("\\", "/")).filter((id) => id.includes("/node_modules/"));
  const bundled = new Set([...paths.map(packageOf), DATA]);
  const inside = new Set(paths.flatMap(insideOf));
  return [...inOrder(bundled).map(notice), ...inOrder(inside).map(noticeInside)].join("\n");
}

function inOrder(names) {
  return [...names].toSorted((a, b) => (a < b ? -1 : 1));
}

function packageOf(path) {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)[1];
}

/** Packages inside a published file that is itself a bundle, according to its source map. */
function insideOf(path) {
  if (!existsSync(`${path}.map`)) return [];
  const { sources } = JSON.parse(readFileSync(`${path}.map`, "utf8"));
  return sources.filter((source) => source.includes("node_modules/")).map((source) => packageOf(`/${source}`));
}

function notice(name) {
  const dir = `${root}node_modules/${name}`;
  const file = readdirSync(dir).find((one) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(one));
  return file === undefined ? noticeBy(name, UNFILED) : titled(name, readFileSync(`${dir}/${file}`, "utf8"));
}

function noticeInside(name) {
  return noticeBy(name, INSIDE);
}

function noticeBy(name, makers) {
  if (!(name in makers))
    throw new Error(`${name} became part of the program: its licence is not in scripts/notices.js`);
  return titled(name, `The MIT License\n\n${makers[name]}\n\n${MIT}`);
}

function titled(name, text) {
  return `${name}\n${"=".repeat(name.length)}\n${text.trim()}\n`;
}

function lodash(...names) {
  const who = [
    "Copyright jQuery Foundation and other contributors <https://jquery.org/>",
    "Based on Underscore.js, copyright Jeremy Ashkenas,",
    "DocumentCloud and Investigative Reporters & Editors <http://underscorejs.org/>",
  ];
  return Object.fromEntries(names.map((name) => [`lodash.${name}`, who.join("\n")]));
}
