import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { directoryIn, expandHome, settingsHome, valueIn } from "../../base/home.ts";
import { specialFileKind } from "../../base/io/regular-file.ts";
import type { OwnRules } from "../../base/redact/own-rules.ts";
import type { EndpointSettings } from "../../narrate/agents/model.ts";
import type { NarrateSettings } from "../../narrate/settings.ts";
import type { OidcSettings } from "../../team/oidc.ts";
import type { TeamSettings } from "../../team/push/settings.ts";
import type { EmbeddingSettings } from "../../answers/daybook.ts";
import type { Io } from "./io.ts";
import { isLevel } from "../../views/push-level.ts";

export interface RecallSettings extends Partial<EmbeddingSettings> {
  /** Ask the agent of `[narrate]` for other wordings of each question of a person. */
  expand?: boolean;
}

/** The contents of `config.toml`. Flags and environment variables override it. */
export interface Config {
  /** Where the book and the index are kept. */
  home?: string;
  timezone?: string;
  /** Source id → directories or files to read instead of the agent's own places. */
  roots?: Record<string, string[]>;
  /** Modules with readers for further agents. */
  source_modules?: string[];
  /** Directory → name of the project that everything in it belongs to. */
  projects?: Record<string, string>;
  /** From `redact.toml` in the same folder: additional patterns to hide, and exceptions. */
  redaction?: OwnRules;
  /** Directories with Aider histories. */
  aider_dirs?: string[];
  /** Which agent writes the narrative of a day, and how much it may cost. */
  narrate?: NarrateSettings;
  /** `auto`: `serve` and `sync --watch` have the agent of `[narrate]` read each day that is over. */
  review?: { auto?: boolean };
  /** What `recall` may ask besides the index: a model for vectors, and the writing agent for other wordings. */
  recall?: RecallSettings;
  /** For `serve --team`: the identity provider that signs people in. */
  oidc?: OidcSettings;
  /** Where sessions are pushed to, and how much of them. */
  team?: TeamSettings;
  /** `terminal`: a program and its words; the command that resumes a session is put behind them, as a shell takes it. */
  page?: { terminal: readonly [string, ...string[]] };
  /** Headers sent to an OTLP collector along with the spans. */
  otlp?: { headers: Record<string, string> };
}

/** The file of settings: `$DAYBOOK_CONFIG`, else the user's own; null without a home. */
export function configPath(env: Io["env"], platform: string = process.platform): string | null {
  const given = directoryIn(env, "DAYBOOK_CONFIG");
  if (given !== null) return given;
  const dir = settingsHome(env, platform);
  return dir === null ? null : join(dir, "config.toml");
}

/** The folder of the user's own prompts, which replace those of the package. */
export function promptFolder(env: Io["env"]): string | null {
  const path = configPath(env);
  return path === null ? null : join(dirname(path), "prompts");
}

/** Reads `config.toml` and `redact.toml`, where they exist. */
export async function readConfig(io: Io): Promise<Config> {
  const path = configPath(io.env);
  if (path === null) return {};
  const redaction = await readRedaction(join(dirname(path), "redact.toml"));
  const config = await readSettings(path, io);
  return redaction === null ? config : { ...config, redaction };
}

/** The parser is only loaded if there is a file. */
async function readToml(path: string, isNamed: boolean): Promise<Record<string, unknown> | null> {
  const stat = statSync(path, { throwIfNoEntry: false });
  // /dev/null means: no configuration.
  if (path === "/dev/null") return null;
  if (!stat) {
    if (isNamed) throw wrong(path, "the file does not exist", "set $DAYBOOK_CONFIG to an existing file, or unset it");
    return null;
  }
  const odd = specialFileKind(stat);
  if (odd !== null) throw wrong(path, `it is ${odd}, not a file`, KEYS);
  const { parse } = await import("smol-toml");
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw wrong(path, cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : "it cannot be read", KEYS);
  }
}

const KEYS =
  'known keys: home, timezone, aider_dirs = ["…"], source_modules = ["…"], [roots] codex = "…", [projects] "/a/directory" = "name", [page] terminal = ["…"], [narrate], [review], [recall], [team], [oidc], [otlp.headers]';
const RULE_KEYS = 'known keys: [[rules]] name = "…", pattern = "…"; exceptions = ["…"]';

/** A rule hides what its pattern matches; an exception keeps what a rule would hide. Both are regular expressions. */
async function readRedaction(path: string): Promise<OwnRules | null> {
  const value = await readToml(path, false);
  if (value === null) return null;
  const { rules = [], exceptions = [], ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(path, `\`${unknown}\` is not known`, RULE_KEYS);
  if (!Array.isArray(rules) || !isList(exceptions))
    throw wrong(path, "`rules` must be tables, `exceptions` texts", RULE_KEYS);
  return {
    rules: rules.map((rule: unknown) => {
      const { name, pattern } = isTable(rule) ? rule : {};
      if (typeof name !== "string" || !/^[\w-]{1,40}$/.test(name) || typeof pattern !== "string")
        throw wrong(path, "a rule needs a name of letters and a pattern", RULE_KEYS);
      return { name, pattern: expression(pattern, "gu", path) };
    }),
    exceptions: exceptions.map((pattern) => expression(pattern, "u", path)),
  };
}

function expression(pattern: string, flags: string, path: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    throw wrong(path, `\`${pattern}\` is not a regular expression`, RULE_KEYS);
  }
}

async function readSettings(path: string, io: Io): Promise<Config> {
  const value = await readToml(path, valueIn(io.env, "DAYBOOK_CONFIG") !== null);
  if (value === null) return {};
  const near = (entry: string): string => resolve(dirname(path), expandHome(entry, io.env));
  const config: Config = {};
  for (const [key, given] of Object.entries(value)) {
    if (key === "home" && typeof given === "string") config.home = near(given);
    else if (key === "timezone" && typeof given === "string") config.timezone = given;
    else if (key === "aider_dirs" && isList(given)) config.aider_dirs = given.map(near);
    else if (key === "source_modules" && isList(given)) config.source_modules = given.map(near);
    else if (key === "projects" && isTable(given)) config.projects = projectsOf(given, path, near);
    else if (key === "roots" && isTable(given)) config.roots = rootsOf(given, path, near);
    else if (key === "page" && isTable(given)) config.page = pageOf(given, path);
    else if (key === "narrate" && isTable(given)) config.narrate = narrateOf(given, path);
    else if (key === "recall" && isTable(given)) config.recall = recallOf(given, path, near);
    else if (key === "review" && isTable(given)) config.review = reviewOf(given, path);
    else if (key === "oidc" && isTable(given)) config.oidc = oidcOf(given, path);
    else if (key === "team" && isTable(given)) config.team = teamOf(given, path);
    else if (key === "otlp" && isTable(given)) config.otlp = otlpOf(given, path);
    else throw wrong(path, `\`${key}\` is not known, or has the wrong type`, KEYS);
  }
  return config;
}

function rootsOf(
  table: Record<string, unknown>,
  path: string,
  near: (entry: string) => string,
): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(table).map(([source, given]) => {
      const list = typeof given === "string" ? [given] : given;
      if (!isList(list)) throw wrong(path, `roots.${source} takes a path or a list of paths`, KEYS);
      return [source, list.map(near)];
    }),
  );
}

function projectsOf(
  table: Record<string, unknown>,
  path: string,
  near: (entry: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).map(([dir, name]) => {
      if (typeof name !== "string" || name.trim() === "") throw wrong(path, `projects."${dir}" takes a name`, KEYS);
      // A path of another operating system cannot be relative to this file.
      return [/^(?:[A-Za-z]:|[\\/]{2})/.test(dir) ? dir : near(dir), name];
    }),
  );
}

const NARRATE_KEYS =
  'known keys of [narrate]: agent = "…", command = ["…"], [narrate.endpoint] url, api, key_env; model, language, concurrency, budget_usd, budget_tokens, attempts';

function narrateOf(table: Record<string, unknown>, path: string): NarrateSettings {
  const out: NarrateSettings = {};
  for (const [key, given] of Object.entries(table)) {
    if ((key === "agent" || key === "model" || key === "language") && typeof given === "string") out[key] = given;
    else if (key === "command" && isList(given) && given.length > 0) out.command = given;
    else if ((key === "concurrency" || key === "attempts" || key === "budget_tokens") && isCount(given))
      out[key] = given;
    else if (key === "budget_usd" && typeof given === "number" && given > 0) out.budget_usd = given;
    else if (key === "endpoint" && isTable(given)) out.endpoint = endpointOf(given, path);
    else throw wrong(path, `\`narrate.${key}\` is not known, or has the wrong type`, NARRATE_KEYS);
  }
  return out;
}

const RECALL_KEYS = 'known keys of [recall]: embeddings = "http://…" or "/a/model.onnx", model, key_env, expand = true';

function recallOf(table: Record<string, unknown>, path: string, near: (entry: string) => string): RecallSettings {
  const out: RecallSettings = {};
  for (const [key, given] of Object.entries(table)) {
    if (key === "embeddings" && isText(given)) out.embeddings = /^https?:\/\//.test(given) ? given : near(given);
    else if ((key === "model" || key === "key_env") && isText(given)) out[key] = given;
    else if (key === "expand" && typeof given === "boolean") out.expand = given;
    else throw wrong(path, `\`recall.${key}\` is not known, or has the wrong type`, RECALL_KEYS);
  }
  return out;
}

function reviewOf({ auto, ...rest }: Record<string, unknown>, path: string): NonNullable<Config["review"]> {
  const [unknown] = Object.keys(rest);
  const keys = "known keys of [review]: auto = true or false";
  if (unknown !== undefined) throw wrong(path, `\`review.${unknown}\` is not known`, keys);
  if (auto !== undefined && typeof auto !== "boolean") throw wrong(path, "`review.auto` takes true or false", keys);
  return auto === undefined ? {} : { auto };
}

const TEAM_KEYS =
  'known keys of [team]: url, level = "totals", "turns" or "full", owner, machine, token, salt, projects = ["…"]';

function teamOf(table: Record<string, unknown>, path: string): TeamSettings {
  const out: TeamSettings = {};
  for (const [key, given] of Object.entries(table)) {
    if (key === "projects") {
      if (!Array.isArray(given) || !given.every((name) => typeof name === "string"))
        throw wrong(path, "`team.projects` takes a list of texts", TEAM_KEYS);
      out.projects = given;
      continue;
    }
    if (typeof given !== "string") throw wrong(path, `\`team.${key}\` takes a text`, TEAM_KEYS);
    if (key === "level" && isLevel(given)) out.level = given;
    else if (key === "url" || key === "owner" || key === "machine" || key === "token" || key === "salt")
      out[key] = given;
    else throw wrong(path, `\`team.${key}\` is not known, or has the wrong type`, TEAM_KEYS);
  }
  return out;
}

const OTLP_KEYS = 'known keys of [otlp.headers]: names of headers with a text each, authorization = "…"';

/** Only headers: where spans are sent is given with each export. */
function otlpOf({ headers = {}, ...rest }: Record<string, unknown>, path: string): NonNullable<Config["otlp"]> {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(path, `\`otlp.${unknown}\` is not known`, OTLP_KEYS);
  if (!isTable(headers)) throw wrong(path, "`otlp.headers` takes a table", OTLP_KEYS);
  const out: Record<string, string> = {};
  for (const [name, given] of Object.entries(headers)) {
    if (typeof given !== "string") throw wrong(path, `\`otlp.headers.${name}\` takes a text`, OTLP_KEYS);
    out[name] = given;
  }
  return { headers: out };
}

function endpointOf(table: Record<string, unknown>, path: string): EndpointSettings {
  const { url, api, key_env, ...rest } = table;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(path, `\`narrate.endpoint.${unknown}\` is not known`, NARRATE_KEYS);
  if (typeof url !== "string" || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw wrong(path, "`narrate.endpoint.url` takes an address that begins with http", NARRATE_KEYS);
  if (api !== undefined && api !== "openai" && api !== "anthropic")
    throw wrong(path, "`narrate.endpoint.api` takes openai or anthropic", NARRATE_KEYS);
  if (key_env !== undefined && typeof key_env !== "string")
    throw wrong(path, "`narrate.endpoint.key_env` takes the name of a variable", NARRATE_KEYS);
  return { url, api, key_env };
}

/** These settings decide whom the server trusts, so none of them is guessed. */
function oidcOf(table: Record<string, unknown>, path: string): OidcSettings {
  const { issuer, audience, jwks, claim = "email", unverified_email, ...rest } = table;
  const keys = "known keys of [oidc]: issuer, audience, jwks (an https address), claim, unverified_email = true";
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(path, `\`oidc.${unknown}\` is not known`, keys);
  if (!isText(issuer) || !isText(audience) || !isText(jwks) || !isText(claim))
    throw wrong(path, "`oidc` takes issuer, audience and jwks", keys);
  if (!jwks.startsWith("https://") || !URL.canParse(jwks))
    throw wrong(path, "`oidc.jwks` takes an https address", keys);
  if (unverified_email !== undefined && typeof unverified_email !== "boolean")
    throw wrong(path, "`oidc.unverified_email` takes true or false", keys);
  return { issuer, audience, jwks, claim, ...(unverified_email === undefined ? {} : { unverified_email }) };
}

/** What the page may start on this machine is named in full. */
function pageOf({ terminal, ...rest }: Record<string, unknown>, path: string): NonNullable<Config["page"]> {
  const [unknown] = Object.keys(rest);
  const hint = 'known key of [page]: terminal = ["kitty", "sh", "-c"]; the command becomes the last word';
  if (unknown !== undefined) throw wrong(path, `\`page.${unknown}\` is not known`, hint);
  const [program, ...words] = isList(terminal) ? terminal : [];
  if (!isText(program)) throw wrong(path, "`page.terminal` takes a program and its words", hint);
  return { terminal: [program, ...words] };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(path: string, what: string, hint: string): DaybookError {
  return new DaybookError(`${path}: ${what}`, {
    code: "usage",
    op: "read config",
    path,
    hint,
  });
}
