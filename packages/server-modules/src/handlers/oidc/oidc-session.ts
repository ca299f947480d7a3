import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client";
import type { JsonValue } from "server-core/json/json-value";
import { z } from "zod";
import { type Claims, keptClaims } from "./claims.ts";

/**
 * Seconds before expiry at which a token is renewed. A token with a shorter lifetime is renewed at half its lifetime.
 */
const earlyS = 30;

/** The content of a session; times in seconds since 1970. */
const sessionSchema = z.object({
  claims: z.record(z.string(), z.json()),
  startedAt: z.number(),
  /** Expiry of the access token; absent when unknown. */
  tokenEndsAt: z.number().optional(),
  /** Time in seconds since 1970 at which the token should be renewed. */
  renewAt: z.number().optional(),
  accessToken: z.string().optional(),
  refreshToken: z.string().optional(),
  /** ID token, needed for the logout at the provider. */
  idToken: z.string().optional(),
});

/** A session as stored in the cookie. */
export interface OidcSession extends Omit<z.infer<typeof sessionSchema>, "claims"> {
  /** Claims of the ID token that the session keeps. */
  readonly claims: Claims;
}

/** Parses a session after unsealing; undefined for the form of an older release. */
export function readSession(payload: unknown): OidcSession | undefined {
  return sessionSchema.safeParse(payload).data as OidcSession | undefined;
}

/** The response of the token endpoint, with methods that read its claims. */
export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** The parts of a token response that a session keeps. */
export interface SessionParts {
  /** Names of claims to keep, because a cookie can store only a few; null or undefined: all. */
  readonly claims: readonly string[] | null | undefined;
  /** True when the access token is kept for upstreams. */
  readonly accessToken: boolean;
}

/**
 * Builds a session from the tokens that the provider issued.
 * @param userInfo additional claims
 * @param before the session that is renewed; values that the new response lacks are copied from it
 */
export function makeSession(
  tokens: Tokens,
  parts: SessionParts,
  userInfo: Claims | undefined,
  before?: OidcSession,
): OidcSession {
  const told = { ...(tokens.claims() as Readonly<Record<string, JsonValue>> | undefined), ...userInfo };
  const nowS = Math.floor(Date.now() / 1000);
  const expiresInS = tokens.expiresIn();
  const refreshToken = tokens.refresh_token ?? before?.refreshToken;
  const idToken = tokens.id_token ?? before?.idToken;
  return {
    claims: { ...before?.claims, ...keptClaims(told, parts.claims) },
    startedAt: before?.startedAt ?? nowS,
    ...(expiresInS === undefined
      ? {}
      : {
          tokenEndsAt: nowS + expiresInS,
          renewAt: nowS + Math.max(expiresInS - earlyS, Math.floor(expiresInS / 2)),
        }),
    ...(parts.accessToken ? { accessToken: tokens.access_token } : {}),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(idToken === undefined ? {} : { idToken }),
  };
}
