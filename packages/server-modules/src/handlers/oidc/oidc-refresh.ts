import { createHash } from "node:crypto";
import { ResponseBodyError, refreshTokenGrant } from "openid-client";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import { sessionTopics, type WorkResult } from "../../sessions/session-messages.ts";
import type { WorkAnswer } from "../../sessions/shared-work.ts";
import type { OidcConfig } from "./oidc-config.ts";
import { askUserInfo } from "./oidc-login.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { makeSession, type OidcSession, readSession } from "./oidc-session.ts";

/** Seconds for which a session outlives its token while the provider is unreachable. */
const graceS = 300;

/**
 * The outcome of a session's renewal.
 * - `same`: the session continues with its current tokens
 * - `new`: the browser gets a new cookie
 * - `over`: the user must sign in again
 */
export type Refreshed =
  | { readonly kind: "same" }
  | { readonly kind: "new"; readonly session: OidcSession }
  /** The provider refused the renewal, or was unreachable for too long. */
  | { readonly kind: "over" };

/** True when the tokens of a session need renewal. */
export function isDue({ refreshToken, renewAt }: OidcSession, nowS = Date.now() / 1000): boolean {
  return refreshToken !== undefined && renewAt !== undefined && nowS >= renewAt;
}

/**
 * Renews the tokens of a session. A refresh token may work only once, so over all threads only one request of a browser
 * renews the session. The other requests share the result.
 * | Provider | Session |
 * |---|---|
 * | issues new tokens | `new` |
 * | refuses, or returns a different user | `over` |
 * | is unreachable, up to 5 min after the token's end | `same` |
 * | is unreachable for longer | `over` |
 */
export async function refreshSession(
  session: OidcSession,
  provider: OidcProvider,
  config: OidcConfig,
  messages: ThreadMessages,
): Promise<Refreshed> {
  const { refreshToken = "" } = session;
  const key = createHash("sha256")
    .update(`${config.issuer} ${config.client_id} ${refreshToken}`)
    .digest("base64url");
  const answer = (await messages.askMain(sessionTopics.askWork, key)) as WorkAnswer;
  let text: string | undefined;
  if (answer.doIt) {
    try {
      text = JSON.stringify(await askProvider(session, refreshToken, provider, config));
    } finally {
      const result: WorkResult = { key, result: text };
      await messages.askMain(sessionTopics.settleWork, result);
    }
  } else {
    text = answer.result;
  }
  if (text === undefined) {
    return outlived(session) ? { kind: "over" } : { kind: "same" };
  }
  const renewed = readSession(JSON.parse(text));
  return renewed === undefined ? { kind: "over" } : { kind: "new", session: renewed };
}

/** True when the token expired more than the grace time ago. */
function outlived({ tokenEndsAt = 0 }: OidcSession): boolean {
  return Date.now() / 1000 >= tokenEndsAt + graceS;
}

/** @returns null when the provider ended the session; undefined when the provider is unreachable */
async function askProvider(
  session: OidcSession,
  refreshToken: string,
  provider: OidcProvider,
  config: OidcConfig,
): Promise<OidcSession | null | undefined> {
  try {
    const configuration = await provider.configuration();
    const tokens = await refreshTokenGrant(configuration, refreshToken);
    const subject = tokens.claims()?.sub;
    if (subject !== undefined && subject !== session.claims.sub) {
      return null;
    }
    const parts = { claims: config.claims, accessToken: config.pass_access_token === true };
    return makeSession(tokens, parts, await askUserInfo(configuration, config, tokens), session);
  } catch (error) {
    return error instanceof ResponseBodyError && error.status < 500 ? null : undefined;
  }
}
