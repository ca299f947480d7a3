import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { engineError } from "../engine-error.ts";
import type { User } from "./users.ts";

/** Name and password from a client. */
interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Compares hashes, which always have the same length, so the duration does not depend on the texts. */
function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** @returns undefined when the request contains no user */
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
 * Checks the user and password in X-ClickHouse-User and -Key, in Basic authentication, or in URL parameters, in this
 * order. The request is compared with every user, each time in constant time. If the first user has no password, this
 * user is also used for requests without a name, with an unknown name, or with a wrong password for this user.
 * @throws EngineError REQUIRED_PASSWORD for missing credentials, AUTHENTICATION_FAILED for wrong credentials
 */
export function checkCredentials(
  request: IncomingMessage,
  url: URL,
  users: readonly [User, ...User[]],
): User {
  const [first] = users;
  const credentials = given(request, url);
  if (credentials === undefined) {
    if (first.password === "") {
      return first;
    }
    throw engineError("REQUIRED_PASSWORD", "Authentication failed: a user and a password are required");
  }
  let found: User | undefined;
  let named: User | undefined;
  for (const user of users) {
    const userMatches = same(credentials.user, user.name);
    const passwordMatches = same(credentials.password, user.password);
    named = userMatches ? user : named;
    found = userMatches && passwordMatches ? user : found;
  }
  if (found === undefined && first.password === "" && (named === undefined || named === first)) {
    return first;
  }
  if (found === undefined) {
    throw engineError(
      "AUTHENTICATION_FAILED",
      `${credentials.user}: Authentication failed: password is incorrect, or there is no user with such name`,
    );
  }
  return found;
}
