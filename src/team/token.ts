import { createHash, randomBytes } from "node:crypto";
import type { TokenScope } from "../views/team.ts";

const FORM = /^daybook_(?:push|read)_[\w-]{43}$/;

/** 256 random bits cannot be guessed, so the hash needs neither salt nor a slow function. */
export function newToken(scope: TokenScope): string {
  return `daybook_${scope}_${randomBytes(32).toString("base64url")}`;
}

export function isToken(text: string): boolean {
  return FORM.test(text);
}

export function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
