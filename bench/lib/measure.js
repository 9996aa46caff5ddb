/**
 * Runs a command and measures wall time, CPU time and peak memory.
 *
 * @typedef {{ wall_ms: number, cpu_ms: number | null, rss_kb: number | null, code: number | null, stdout: string,
 *   stderr: string }} Measured
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TIME = "/usr/bin/time";
/** Length of a clock tick in /proc/PID/stat; 100 per second on all common Linux systems. */
const TICK_MS = 10;

const timeFlag = !existsSync(TIME) ? undefined : { linux: "-v", darwin: "-l" }[process.platform];

/** How memory and CPU are read here, for the report. */
export const method = timeFlag
  ? `${TIME} ${timeFlag}`
  : existsSync("/proc/self/status")
    ? "/proc polling"
    : "wall time only";

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 * @returns {Promise<Measured>}
 */
export async function measure(command, args, options = {}) {
  if (!timeFlag) return run(command, args, options);
  const scratch = mkdtempSync(join(tmpdir(), "daybook-bench-"));
  const report = join(scratch, "time");
  try {
    // BSD time has no -o for -l; there its report is the tail of stderr.
    const flags = timeFlag === "-v" ? ["-v", "-o", report] : [timeFlag];
    const result = await run(TIME, [...flags, command, ...args], options);
    const text = timeFlag === "-v" ? readFileSync(report, "utf8") : result.stderr;
    return { ...result, ...(timeFlag === "-v" ? gnu(text) : bsd(text)) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @param {string} text */
function gnu(text) {
  const number = (/** @type {RegExp} */ pattern) => Number(pattern.exec(text)?.[1] ?? Number.NaN);
  const cpu = number(/User time \(seconds\): ([\d.]+)/) + number(/System time \(seconds\): ([\d.]+)/);
  return { cpu_ms: Math.round(cpu * 1000), rss_kb: number(/Maximum resident set size \(kbytes\): (\d+)/) };
}

/** @param {string} text */
function bsd(text) {
  const cpu = /([\d.]+) user\s+([\d.]+) sys/.exec(text);
  const rss = /(\d+)\s+maximum resident set size/.exec(text);
  return {
    cpu_ms: cpu ? Math.round((Number(cpu[1]) + Number(cpu[2])) * 1000) : null,
    rss_kb: rss ? Math.round(Number(rss[1]) / 1024) : null,
  };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} options
 * @returns {Promise<Measured>}
 */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    // With this set, Node reads some hundred certificates at every start, which says nothing about either tool.
    const { NODE_EXTRA_CA_CERTS: _, ...env } = options.env ?? process.env;
    const child = spawn(command, args, { ...options, env, stdio: ["ignore", "pipe", "pipe"] });
    /** @type {{ cpu_ms: number | null, rss_kb: number | null }} */
    const seen = { cpu_ms: null, rss_kb: null };
    // VmHWM only grows, so the last sample is the peak, except for the final 10 ms.
    const watch = timeFlag ? undefined : setInterval(() => look(child.pid, seen), 10);
    /** @type {Buffer[]} */
    const out = [];
    /** @type {Buffer[]} */
    const err = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    child.on("error", (cause) => {
      clearInterval(watch);
      reject(cause);
    });
    child.on("close", (code) => {
      clearInterval(watch);
      const wall = performance.now() - start;
      const [stdout, stderr] = [Buffer.concat(out).toString(), Buffer.concat(err).toString()];
      resolve({ wall_ms: Math.round(wall), ...seen, code, stdout, stderr });
    });
  });
}

/**
 * @param {number | undefined} pid
 * @param {{ cpu_ms: number | null, rss_kb: number | null }} seen
 */
function look(pid, seen) {
  try {
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    if (peak) seen.rss_kb = Math.max(seen.rss_kb ?? 0, Number(peak[1]));
    // The command name in field 2 may contain spaces, so count the fields after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    seen.cpu_ms = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    // The process has ended, or there is no /proc: keep the last sample.
  }
}

/**
 * @param {Measured[]} runs
 * @returns {Measured} the run in the middle by wall time
 */
export const median = (runs) => runs.toSorted((a, b) => a.wall_ms - b.wall_ms)[Math.floor((runs.length - 1) / 2)];
