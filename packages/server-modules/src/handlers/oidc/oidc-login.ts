import { createHash } from "node:crypto";
import { HttpError } from "http-engine/http-error";
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  tokenRevocation,
} from "openid-client";
import { z } from "zod";
import type { Claims } from "./claims.ts";
import type { OidcConfig } from "./oidc-config.ts";
import { faultOf } from "./oidc-provider.ts";
import type { OidcSession, Tokens } from "./oidc-session.ts";

/** A pending login. The browser stores it in a sealed cookie. */
const pendingSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Path and query of the page that the user first requested. */
  returnTo: z.string(),
});

/** State of a login: the values that the provider must return, and the page that the user wanted. */
export type PendingLogin = z.infer<typeof pendingSchema>;

/** Parses a pending login after unsealing; undefined for an unknown form. */
export function readPending(payload: unknown): PendingLogin | undefined {
  return pendingSchema.safeParse(payload).data;
}

/** Name of a pending login, derived from its `state`. A browser may have several pending logins. */
export function loginName(state: string): string {
  return createHash("sha256").update(state).digest("base64url").slice(0, 10);
}

/**
 * Returns a redirect target that always stays on this host. `/a?b` is kept. `//evil.example`, `/\evil.example` and
 * texts with blanks become `/`.
 * @param target requested path and query
 */
export function safeReturn(target: string): string {
  return /^\/(?![/\\])[^\s\\]*$/.test(target) && target.length <= 2_048 ? target : "/";
}

/**
 * Begins an authorization code login with PKCE (S256), state and nonce. Source: RFC 7636; OpenID Connect Core 1.0,
 * section 3.1.2.1
 * @returns the provider's URL, and the cookie value that the browser keeps until the callback
 */
export async function beginLogin(
  configuration: Configuration,
  config: OidcConfig,
  redirectUri: string,
  target: string,
): Promise<{ url: string; pending: PendingLogin }> {
  const pending = {
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    returnTo: safeReturn(target),
  };
  const url = buildAuthorizationUrl(configuration, {
    ...config.authorization_parameters,
    redirect_uri: redirectUri,
    scope: ["openid", ...(config.scopes ?? ["profile", "email"])].join(" "),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
  });
  return { url: url.href, pending };
}

/**
 * Exchanges the authorization code for tokens. @param currentUrl the redirect URI with its query. @throws HttpError 403
 * when the provider refused the user, 502 when the provider failed.
 */
export async function finishLogin(
  configuration: Configuration,
  config: OidcConfig,
  currentUrl: URL,
  pending: PendingLogin,
): Promise<{ tokens: Tokens; userInfo: Claims | undefined }> {
  try {
    const tokens = await authorizationCodeGrant(configuration, currentUrl, {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    });
    return { tokens, userInfo: await askUserInfo(configuration, config, tokens) };
  } catch (error) {
    if (error instanceof AuthorizationResponseError) {
      throw new HttpError(
        403,
        `identity provider: ${error.error}: ${(error.error_description ?? "").slice(0, 200)}`,
      );
    }
    throw new HttpError(502, `identity provider ${config.issuer}: ${faultOf(error)}`, { cause: error });
  }
}

/** Fetches the claims of the userinfo endpoint, if the config wants them. */
export async function askUserInfo(
  configuration: Configuration,
  config: OidcConfig,
  tokens: Tokens,
): Promise<Claims | undefined> {
  const subject = tokens.claims()?.sub;
  if (config.user_info !== true || subject === undefined) {
    return undefined;
  }
  return (await fetchUserInfo(configuration, tokens.access_token, subject)) as Claims;
}

/** The provider's logout URL; undefined when the provider has none. */
export function logoutUrl(
  configuration: Configuration,
  returnUri: string,
  idToken: string | undefined,
): string | undefined {
  if (configuration.serverMetadata().end_session_endpoint === undefined) {
    return undefined;
  }
  return buildEndSessionUrl(configuration, {
    post_logout_redirect_uri: returnUri,
    ...(idToken === undefined ? {} : { id_token_hint: idToken }),
  }).href;
}

/**
 * Revokes the tokens of a session, if the provider supports revocation. Revoking the refresh token also revokes the
 * access tokens of that login. Without a refresh token, the access token is revoked. Source: RFC 7009
 * @throws Error when the provider is unreachable or refuses
 */
export async function revokeTokens(
  configuration: Configuration,
  { refreshToken, accessToken }: Pick<OidcSession, "refreshToken" | "accessToken">,
): Promise<void> {
  const token = refreshToken ?? accessToken;
  if (token !== undefined && configuration.serverMetadata().revocation_endpoint !== undefined) {
    const kind = refreshToken === undefined ? "access_token" : "refresh_token";
    await tokenRevocation(configuration, token, { token_type_hint: kind });
  }
}
