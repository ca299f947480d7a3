/** The headers that may hold a bearer token. */
export interface TokenHeaders {
  readonly authorization?: string | undefined;
  readonly "x-forwarded-access-token"?: string | string[] | undefined;
}

/**
 * The token for the store and for Prometheus. It comes from `Authorization` with the scheme `Bearer` or none,
 * otherwise from `X-Forwarded-Access-Token`. This function does not check the token: the proxy in front does.
 * @returns undefined without a token, and for another scheme
 */
export function bearerTokenOf(headers: TokenHeaders): string | undefined {
  const forwarded = headers["x-forwarded-access-token"];
  const value = headers.authorization || (Array.isArray(forwarded) ? forwarded[0] : forwarded) || "";
  const parts = value.split(" ");
  const token = parts.length === 1 ? parts[0] : parts.length === 2 && parts[0] === "Bearer" ? parts[1] : "";
  return token === "" ? undefined : token;
}
