import { configDuration } from "server-core/modules/config-fields";
import { z } from "zod";

/** An absolute path without query. Texts that a browser could read as a different host are refused. */
const path = z.string().regex(/^\/(?!\/)[^\\?#\s]*$/, { error: "a path that begins with one slash" });
/** A path without a final slash, or an empty text. */
const basePath = z.string().regex(/^(?:\/(?!\/)[^\\?#\s]*[^\\?#\s/])?$/, {
  error: "a path that begins with a slash and does not end with one, or nothing",
});
/** Characters of a field name. Source: RFC 9110, section 5.1 */
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, { error: "not a header name" });
/** Characters of a cookie name. The length limit leaves room for the value. */
const cookieName = z.string().regex(/^[!#$%&'*+.^_`|~\w-]{1,64}$/, { error: "not a cookie name" });

/** True for a provider on this machine. Only such a provider may be used without TLS. */
function isLoopback(url: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
}

/** The discovery URL is `<issuer>/.well-known/openid-configuration`. */
const issuer = z.url().refine(
  (text) => {
    const url = new URL(text);
    return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
  },
  { error: "an https URL; http only on this machine" },
);

/** Config of the handler `oidc`. */
export const oidcSchema = z.strictObject({
  issuer: issuer.describe("The provider: its issuer identifier, below which discovery finds the rest."),
  client_id: z.string().min(1).describe("As whom this server is registered there."),
  /** Placeholders are replaced when the config is loaded. An empty result refuses the config. */
  client_secret: z
    .string()
    .nullish()
    .describe("Its secret; global placeholders allowed, such as {env.X} and {file./path} (a public client)."),
  client_auth: z
    .enum(["basic", "post", "none"])
    .nullish()
    .describe("How the secret is sent (basic; none without a secret)."),
  scopes: z
    .array(z.string().regex(/^[!#-[\]-~]+$/, { error: "not a scope" }))
    .nullish()
    .describe("What is asked for beside openid (profile, email); offline_access where refresh needs it."),
  authorization_parameters: z
    .record(z.string(), z.string())
    .nullish()
    .describe("Further parameters of the login, such as prompt, audience or acr_values."),
  external_url: z
    .url()
    .transform((text) => new URL(text).origin)
    .nullish()
    .describe("Scheme and host by which browsers come (those of the request)."),
  base_path: basePath
    .nullish()
    .describe("Path below which all that is guarded stands for browsers, where it is not the whole host."),
  /** Register this path at the provider as redirect URI, with scheme and host in front. */
  callback_path: path
    .nullish()
    .describe("Where the provider sends users back, below base_path (/oidc/callback)."),
  logout_path: path.nullish().describe("Signs users out, below base_path (/oidc/logout)."),
  after_logout: path.nullish().describe("Where they go then, below base_path (/)."),
  /** Counted from the login. Refreshed tokens do not extend the session. */
  session_lifetime: configDuration().nullish().describe("After so long users sign in again (12h)."),
  cookie: z
    .strictObject({
      name: cookieName.nullish().describe("Beginning of the names of all cookies (oidc)."),
      domain: z
        .string()
        .regex(/^[\w.-]+$/, { error: "not a domain" })
        .nullish()
        .describe("Domain whose hosts share the session (the host alone)."),
      same_site: z
        .enum(["lax", "none"])
        .nullish()
        .describe("lax; none where the site stands in frames of others."),
      secure: z.boolean().nullish().describe("Only over HTTPS (yes, where the browser came by it)."),
    })
    .nullish()
    .describe("Cookies that hold the session, sealed; always HttpOnly."),
  user_info: z.boolean().nullish().describe("Whether claims are asked for at the userinfo endpoint too."),
  claims: z
    .array(z.string())
    .nullish()
    .describe("Claims that the session keeps (all but those of the protocol); sub is always there."),
  /** An unverified email address never matches. */
  allow: z
    .array(
      z.strictObject({
        claim: z.string().min(1).describe("Claim; `a.b` for the member b of a."),
        values: z.array(z.string()).min(1).describe("One of these it must have; `*` stands for anything."),
      }),
    )
    .nullish()
    .describe("Who is let in: all of these must hold (everybody whom the provider knows). Others get 403."),
  /** Control characters in a claim become blanks, so that a claim cannot add a field. */
  headers: z
    .record(headerName, z.string())
    .nullish()
    .describe("Headers for what comes after, and the claims they get. What clients send in them is removed."),
  pass_access_token: z
    .boolean()
    .nullish()
    .describe("Whether what comes after gets the access token, as Authorization: Bearer."),
  trusted_roots_pem_files: z
    .array(z.string())
    .nullish()
    .describe("Roots for the provider's own certificate, beside those of the system."),
});

/** The config after validation; durations are milliseconds. */
export type OidcConfig = z.infer<typeof oidcSchema>;
