/** Readers that a user wrote for further agents: modules that export sources. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { DaybookError, messageOf } from "../base/errors.ts";
import { importModule } from "../base/io/import-module.ts";
import type { Source } from "./contract.ts";
import { registerSource } from "./registry.ts";

/** Modules loaded so far by their absolute paths. Another thread must load them too. */
const loaded = new Set<string>();

/** A module that waits for something when it is loaded, in ms. Node would end without a word. */
const LONGEST_LOAD = 10_000;

/** Registers every source that a module exports. It runs with the rights of the user, like any program. */
export async function loadSourceModule(path: string): Promise<void> {
  if (loaded.has(path)) return;
  try {
    if (!existsSync(path)) throw new Error("there is no such file");
    const text = readFileSync(path);
    const sources = sourcesIn(await settled(importModule(pathToFileURL(path).href)));
    if (sources.length === 0) throw new Error("it exports no source, an object with id, name, discover and read");
    for (const source of sources) registerSource(source, versionOf(text));
  } catch (error) {
    throw new DaybookError(`source module ${path}: ${messageOf(error).split("\n")[0] ?? ""}`, {
      code: "invalid",
      op: "load source module",
      path,
      hint: "how to write one: docs/adding-a-source.md",
      cause: error,
    });
  }
  loaded.add(path);
}

export function loadedModules(): readonly string[] {
  return [...loaded];
}

function sourcesIn(exported: unknown): Source[] {
  const values = new Set(Object.values(exported ?? {}) as unknown[]);
  return [...values].filter(isMeantAsSource);
}

/** Whether it is complete is checked when it is registered, so that a user hears what is missing. */
function isMeantAsSource(value: unknown): value is Source {
  return typeof value === "object" && value !== null && "id" in value && ("read" in value || "discover" in value);
}

async function settled<T>(loading: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = async (): Promise<never> => {
    await sleep(LONGEST_LOAD, undefined, { signal: stop.signal });
    throw new Error(`it was not loaded within ${LONGEST_LOAD / 1000} s`);
  };
  const waiting = late();
  waiting.catch(() => undefined);
  try {
    return await Promise.race([loading, waiting]);
  } finally {
    stop.abort();
  }
}

/** A change of the module is a change of what it reads. */
function versionOf(text: Uint8Array): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}
