/** The headers that a bearer token may come in. */
export interface TokenHeaders {
  readonly authorization?: string | undefined;
  readonly "x-forwarded-access-token"?: string | string[] | undefined;
}

/**
 * The token that goes on to the store and to Prometheus: of `Authorization: Bearer t`, a bare token there, or else the
 * same in `X-Forwarded-Access-Token`. It is not checked: that is up to whoever stands in front.
 * @returns undefined when there is none, or another scheme
 */
export function bearerTokenOf(headers: TokenHeaders): string | undefined {
  const forwarded = headers["x-forwarded-access-token"];
  const value = headers.authorization || (Array.isArray(forwarded) ? forwarded[0] : forwarded) || "";
  const parts = value.split(" ");
  const token = parts.length === 1 ? parts[0] : parts.length === 2 && parts[0] === "Bearer" ? parts[1] : "";
  return token === "" ? undefined : token;
}
