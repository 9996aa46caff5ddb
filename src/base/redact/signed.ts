import { isLetterSoup } from "./letters.ts";
import type { Span } from "./named.ts";
import { isPlaceholder, isRandom } from "./values.ts";

/**
 * Parameters of addresses that log in whoever opens them. Each only counts in an address (after `?`, `&` or `;`), in a
 * header that lists parameters, or in a form; names that say so themselves are found by name everywhere.
 */
const PARAMETERS = [
  "x-amz-signature",
  "x-amz-security-token",
  "x-amz-credential",
  "x-goog-signature",
  "x-goog-credential",
  "x-oss-signature",
  "x-cos-security-token",
  "signature",
  "sig",
  "oauth_signature",
  "hmac",
  "sign",
  "code",
  "state",
  "key",
  "auth",
  "auth_key",
  "authkey",
  "ticket",
  "jwt",
  "sid",
  "session",
  "sessionid",
  "session_id",
  "otp",
  "nonce",
  "hash",
  "st",
  "policy",
  "apikey",
  "appid",
  "access",
  "samlresponse",
  "samlrequest",
  "id_token_hint",
  "code_verifier",
  "assertion",
  "client_assertion",
  "magic",
  "invite",
  "unlock",
  "reset",
  "confirmation",
  "verify",
];

export const PARAMETER_SIGNS: readonly string[] = PARAMETERS.flatMap((name) =>
  ["?", "&"].map((before) => `${before}${name}=`),
);

/** In a header: `Signature=…`, `signature="…"`, `response="…"`. */
export const HEADER_SIGNS: readonly string[] = ["signature=", "response=", "oauth_signature="];

const VALUE = /=(?<secret>[\w%+/=.~!*:-]{12,8000})/dy;
const HEADER_VALUE = /=["']?(?<secret>[\w%+/=.~:-]{20,2000})/dy;

/** Names that mostly hold something else: only long random values count. */
const OFTEN_OTHER =
  /(?:state|hash|nonce|policy|code|key|sign|st|access|invite|verify|reset|confirmation|ticket|sid)=$/i;

export function parameterSecret(text: string, at: number): Span[] {
  const equals = text.indexOf("=", at);
  VALUE.lastIndex = equals;
  const place = VALUE.exec(text)?.indices?.groups?.["secret"];
  if (!place) return [];
  const value = text.slice(...place);
  const isLong = OFTEN_OTHER.test(text.slice(at, equals + 1)) ? value.length >= 20 : true;
  return isLong && isMade(value) ? [{ start: place[0], end: place[1], kind: "url-signature" }] : [];
}

export function headerSecret(text: string, at: number): Span[] {
  HEADER_VALUE.lastIndex = text.indexOf("=", at);
  const place = HEADER_VALUE.exec(text)?.indices?.groups?.["secret"];
  // Only in a list of parameters: code assigns signatures too.
  if (
    !place ||
    !/(?:[,;&?]\s?|AWS4-HMAC-SHA256 [^\n]{0,300}|Digest [^\n]{0,300}|OAuth [^\n]{0,300})[\w-]*$/.test(
      text.slice(Math.max(0, at - 320), at),
    )
  )
    return [];
  const value = text.slice(...place);
  return isMade(value) ? [{ start: place[0], end: place[1], kind: "url-signature" }] : [];
}

function isMade(value: string): boolean {
  const plain = value.replaceAll(/%[0-9A-Fa-f]{2}/g, "/");
  return (
    !isPlaceholder(value) &&
    (isRandom(plain) ||
      isLetterSoup(plain) ||
      (/^[A-Za-z0-9+/_-]{12,}%?\d?D?={1,2}$/.test(plain) &&
        /\d/.test(plain) &&
        /[a-z]/.test(plain) &&
        /[A-Z]/.test(plain)))
  );
}
