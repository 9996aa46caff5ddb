"use strict";
// V8's compiled code of the program's parts. V8 believes what it is given: code made by a Node with the same V8 number but
// other patches ends the process without a word. So each file says which program made it and from what, and only an exact
// match is used; everything else is compiled as if there were no file.
const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");

/** Bytes before the code: what it was made by and from. A multiple of eight, where V8 wants the code to begin. */
const HEADER = 1024;
/** No part of the program is near this size; a larger file is not ours. */
const LARGEST = 64 * 1024 ** 2;
/** Programs whose code is kept: versions of Node times places where Daybook is installed. */
const PROGRAMS_KEPT = 4;
/** Code grows with this many commands at most; the header has room for their names. */
const MOST_COMMANDS = 24;
/** A command as named on the command line; anything else, such as an option, counts as one. */
const COMMAND = /^[a-z][a-z-]{0,19}$/;
/** The exact Node that runs this, with the options that change what V8 compiles. Null where it cannot be named. */
const MAKER = makerOf();

function makerOf() {
  try {
    // Two builds of one version differ in what they compile; the file of the program tells them apart.
    const { size, mtimeMs } = fs.statSync(process.execPath);
    const { version, versions, arch, platform, execArgv, env } = process;
    const options = sumOf(Buffer.from([...execArgv, env.NODE_OPTIONS ?? ""].join("\0")));
    return [version, versions.v8, arch, platform, size, mtimeMs, options].join(" ");
  } catch {
    return null;
  }
}

/** Tells texts and files apart that differ by accident: an update, a copy cut short. It need not stop a forger. */
function sumOf(bytes, before = "") {
  return `${bytes.length}-${zlib.crc32(bytes, zlib.crc32(before)).toString(16)}`;
}

/** The file for code that `maker` compiled from the source with that sum, for those commands. */
function encode({ maker, source, commands }, code) {
  const header = JSON.stringify({ maker, source, commands, code: sumOf(code) });
  return Buffer.concat([Buffer.from(header.padEnd(HEADER)), code]);
}

/** The code in a file and the commands it was made for; null unless `maker` compiled it from the source with that sum. */
function decode(file, { maker, source }) {
  try {
    const header = JSON.parse(file.latin1Slice(0, HEADER));
    const code = file.subarray(HEADER);
    if (header.maker !== maker || header.source !== source || header.code !== sumOf(code)) return null;
    return { code, commands: header.commands.map(String) };
  } catch {
    return null;
  }
}

/**
 * Daybook's directory in the user's directory for caches, as that directory and the names below it; null if the environment
 * names none. A relative one is never used.
 */
function cachePlace(env, platform) {
  const paths = platform === "win32" ? path.win32 : path.posix;
  const below = (variable, ...names) => {
    const dir = env[variable] ?? "";
    return paths.isAbsolute(dir) ? [paths.join(dir, ...names.slice(0, -1)), names.at(-1)] : null;
  };
  // Windows has no directory of caches: each application has its own, beside its data.
  if (platform === "win32") return below("LOCALAPPDATA", "daybook", "Cache");
  if (platform === "darwin") return below("HOME", "Library", "Caches", "daybook");
  return env.XDG_CACHE_HOME ? below("XDG_CACHE_HOME", "daybook") : below("HOME", ".cache", "daybook");
}

/** Whether it belongs to this user, and no other user can write to it. Windows protects the user's directories itself. */
function isOwn({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

/** The content of a regular file that nobody else can write to. */
function readOwn(name) {
  // Windows lacks the last two. A pipe of that name must not make the program wait.
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
  const file = fs.openSync(name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const stat = fs.fstatSync(file);
    return stat.isFile() && isOwn(stat) && stat.size < LARGEST ? fs.readFileSync(file) : null;
  } finally {
    fs.closeSync(file);
  }
}

/** Makes the directories if needed, but no home for a user who has none; false if one below the first is open to others. */
function makeOwn(home, ...names) {
  makeDirectory(home);
  let dir = home;
  for (const name of names) {
    dir = path.join(dir, name);
    makeDirectory(dir);
    const stat = fs.lstatSync(dir);
    if (!stat.isDirectory() || !isOwn(stat)) return false;
  }
  return true;
}

function makeDirectory(dir) {
  try {
    fs.mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

/** Removes the code of the programs for which it was made longest ago. */
function forgetOldest(dir) {
  const kept = fs.readdirSync(dir).map((name) => ({ name, time: fs.lstatSync(path.join(dir, name)).mtimeMs }));
  for (const { name } of kept.sort((a, b) => b.time - a.time).slice(PROGRAMS_KEPT))
    fs.rmSync(path.join(dir, name), { recursive: true, force: true });
}

/**
 * The code of the parts in `dist`. The build puts it beside them, in a checkout. A package contains none: there it is made
 * on first use, in the user's cache directory, and grows with each command that is used for the first time.
 */
class CodeCache {
  #built;
  /** The directory that may belong to others, and the names of those below it, which may not. */
  #place;
  #isOff;
  /** What the parts loaded so far were made from and were found to have. */
  #parts = new Map();

  constructor(dist, env = process.env) {
    const built = path.join(dist, "code");
    this.#built = fs.existsSync(built) ? built : null;
    this.#isOff = MAKER === null || Boolean(env.NODE_DISABLE_COMPILE_CACHE);
    const place = this.#isOff || this.#built ? null : cachePlace(env, process.platform);
    this.#place = place && [...place, "code", sumOf(Buffer.from(`${MAKER} ${dist}`))];
  }

  /** Code that V8 may be given for a part, or undefined. `wrapper` is what `source` is wrapped in before it is compiled. */
  codeOf(name, source, wrapper) {
    if (this.#isOff) return undefined;
    const made = { maker: MAKER, source: sumOf(source, wrapper) };
    const found = this.#read(name, made);
    this.#parts.set(name, { made, found });
    return found?.code;
  }

  #read(name, made) {
    try {
      const file = `${name}.code`;
      if (this.#built) return decode(fs.readFileSync(path.join(this.#built, file)), made);
      const own = this.#place && readOwn(path.join(...this.#place, file));
      return own && decode(own, made);
    } catch {
      return null;
    }
  }

  /** Keeps what V8 compiled of these scripts for a command. A cache that cannot be kept is no reason to fail. */
  keep(scripts, words) {
    if (!this.#place) return;
    const command = COMMAND.test(words) ? words : "";
    try {
      const grown = [...scripts].flatMap(([name, script]) => this.#grown(name, script, command));
      if (grown.length === 0 || !makeOwn(...this.#place)) return;
      const dir = path.join(...this.#place);
      for (const [name, file] of grown) writeWhole(path.join(dir, `${name}.code`), file);
      forgetOldest(path.dirname(dir));
    } catch {
      // The next command compiles again.
    }
  }

  /** The new file of a part, if this command was not among those its code was made for. */
  #grown(name, script, command) {
    const { made, found } = this.#parts.get(name) ?? {};
    const before = script.cachedDataRejected ? null : found;
    if (!made || before?.commands.includes(command) || before?.commands.length >= MOST_COMMANDS) return [];
    const code = script.createCachedData();
    const commands = [...(before?.commands ?? []), command];
    // V8 drops code that has not run for a while, so a long run may end with less than it was given.
    return [[name, encode({ ...made, commands }, before && before.code.length > code.length ? before.code : code)]];
  }

  /** Writes what V8 compiled of these scripts beside the parts: done by the build. */
  build(scripts) {
    for (const [name, script] of scripts) {
      const { made } = this.#parts.get(name);
      fs.writeFileSync(
        path.join(this.#built, `${name}.code`),
        encode({ ...made, commands: [] }, script.createCachedData()),
      );
    }
  }
}

/** Others see the old file or the new one, never half of it. */
function writeWhole(name, bytes) {
  const draft = `${name}.${process.pid}`;
  try {
    fs.writeFileSync(draft, bytes, { flag: "wx", mode: 0o600 });
    fs.renameSync(draft, name);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

module.exports = { CodeCache, cachePlace, decode, encode };
