import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from "jose";
import { DaybookError } from "../base/errors.ts";

/** The identity provider, from `[oidc]` in the server's `config.toml`. */
export interface OidcSettings {
  issuer: string;
  audience: string;
  /** The address of its public keys. */
  jwks: string;
  /** The claim with the person's name in the store. */
  claim: string;
  /** Accept addresses of a provider that never states `email_verified`. One that it calls unverified is refused. */
  unverified_email?: boolean;
}

/** Only these algorithms, whatever the library supports: a token that names another one, or none, is invalid. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Tolerated clock difference, in seconds. */
const SKEW = 30;
/** Keys are fetched again after this time, and sooner if a token names an unknown one; in ms. */
const KEYS_LAST = 10 * 60 * 1000;
const KEYS_REST = 30 * 1000;
const KEYS_WAIT_MS = 5000;
const MOST_BYTES = 256 * 1024;

/** Authenticates people by tokens of their company's identity provider. */
export class Oidc {
  readonly #settings: OidcSettings;
  readonly #now: () => number;
  readonly #load: (url: string) => Promise<JSONWebKeySet>;
  #keys: { find: JWTVerifyGetKey; at: number } | null = null;

  constructor(settings: OidcSettings, now: () => number, load: (url: string) => Promise<JSONWebKeySet> = loadKeys) {
    this.#settings = settings;
    this.#now = now;
    this.#load = load;
  }

  /** The person's name in the store; null if the token is invalid. */
  async loginOf(token: string): Promise<string | null> {
    const { issuer, audience, claim } = this.#settings;
    const find: JWTVerifyGetKey = async (header, given) => {
      try {
        return await (
          await this.#known(false)
        )(header, given);
      } catch (error) {
        if (!isCode(error, "ERR_JWKS_NO_MATCHING_KEY")) throw error;
        // Keys rotate: an unknown one may be new. Refetching is rate-limited, so that invalid tokens cannot trigger
        // it each time.
        return (await this.#known(true))(header, given);
      }
    };
    try {
      const { payload } = await jwtVerify(token, find, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW,
        requiredClaims: ["exp", claim],
        currentDate: new Date(this.#now()),
      });
      const login = payload[claim];
      if (typeof login !== "string" || login === "") return null;
      return isVerified(login, payload, this.#settings) ? login : null;
    } catch (error) {
      // Unavailable keys are not the client's fault.
      if (error instanceof DaybookError) throw error;
      return null;
    }
  }

  async #known(isUnknown: boolean): Promise<JWTVerifyGetKey> {
    const now = this.#now();
    const keys = this.#keys;
    if (keys !== null && now - keys.at < (isUnknown ? KEYS_REST : KEYS_LAST)) return keys.find;
    const set = await this.#load(this.#settings.jwks).catch((cause: unknown) => {
      throw new DaybookError("the keys of the identity provider cannot be loaded", {
        code: "unreachable",
        op: "load keys",
        cause,
        hint: "try again in a moment",
      });
    });
    this.#keys = { find: createLocalJWKSet(set), at: now };
    return this.#keys.find;
  }
}

/**
 * Many providers let people state any address and check it later, or never: until it is checked it names nobody. In
 * another claim the provider says what a name is; but an address that it calls unverified is none there either.
 */
function isVerified(login: string, payload: JWTPayload, { claim, unverified_email = false }: OidcSettings): boolean {
  if (claim !== "email" && !login.includes("@")) return true;
  const verified = payload["email_verified"];
  if (verified === undefined) return claim !== "email" || unverified_email;
  // Some providers send it as a text.
  return verified === true || verified === "true";
}

async function loadKeys(url: string): Promise<JSONWebKeySet> {
  const response = await globalThis.fetch(url, { signal: AbortSignal.timeout(KEYS_WAIT_MS), redirect: "error" });
  const text = await response.text();
  if (!response.ok || text.length > MOST_BYTES) throw new Error(`it answered ${response.status}`);
  return JSON.parse(text) as JSONWebKeySet;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
