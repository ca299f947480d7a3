import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { engineError } from "../engine/engine-error.ts";

export interface Credentials {
  readonly user: string;
  /** "" lets everybody in. */
  readonly password: string;
}

function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function given(request: IncomingMessage, url: URL): Credentials | undefined {
  const { authorization, "x-clickhouse-user": user, "x-clickhouse-key": key } = request.headers;
  if (typeof user === "string" || typeof key === "string") {
    return { user: String(user ?? "default"), password: String(key ?? "") };
  }
  const basic = /^Basic\s+([A-Za-z0-9+/_=-]+)$/i.exec(authorization ?? "")?.[1];
  if (basic !== undefined) {
    const text = Buffer.from(basic, "base64").toString("utf8");
    const colon = text.indexOf(":");
    return colon < 0
      ? { user: text, password: "" }
      : { user: text.slice(0, colon), password: text.slice(colon + 1) };
  }
  const search = url.searchParams;
  return search.has("user") || search.has("password")
    ? { user: search.get("user") ?? "default", password: search.get("password") ?? "" }
    : undefined;
}

/**
 * Checks user and password, which come as X-ClickHouse-User and -Key, Basic authentication, or URL parameters, in
 * this order. Compared in constant time.
 * @throws EngineError REQUIRED_PASSWORD when there are none, AUTHENTICATION_FAILED when they are wrong
 */
export function checkCredentials(request: IncomingMessage, url: URL, expected: Credentials): void {
  if (expected.password === "") {
    return;
  }
  const credentials = given(request, url);
  if (credentials === undefined) {
    throw engineError("REQUIRED_PASSWORD", "Authentication failed: a user and a password are required");
  }
  const userMatches = same(credentials.user, expected.user);
  const passwordMatches = same(credentials.password, expected.password);
  if (!userMatches || !passwordMatches) {
    throw engineError(
      "AUTHENTICATION_FAILED",
      `${credentials.user}: Authentication failed: password is incorrect, or there is no user with such name`,
    );
  }
}
