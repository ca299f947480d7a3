import { configDuration } from "server-core/modules/config-fields";
import { z } from "zod";

/** Maximum number of origins of a site. */
const maxOrigins = 20;
/** Maximum number of keys that `max_keys` allows a user. */
export const mostKeys = 50;

/** An origin as browsers name it: `https://app.example.com:8443`. */
const origin = z.string().refine(
  (text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
  },
  { error: "an entry of origins is no origin such as https://app.example.com" },
);

export const webauthnSchema = z
  .strictObject({
    rp_id: z
      .string()
      .max(253)
      .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, {
        error: "rp_id is no domain in lower case, such as example.com",
      })
      .describe("Domain that keys are registered for. Keys of a domain also count for its subdomains."),
    rp_name: z.string().max(64).nullish().describe("Name of the site in the browser's dialog (rp_id)."),
    origins: z
      .array(origin)
      .max(maxOrigins)
      .nullish()
      .describe("Origins of pages that may ask for a key (https://<rp_id>)."),
    sign_key: z
      .string()
      .describe("Key of sessions: 32 bytes or more in base64. Global placeholders allowed, such as {env.X}."),
    credentials_path: z
      .string()
      .nullish()
      .describe("Folder of the registered keys (the folder webauthn in the server's data folder)."),
    user_verification: z
      .enum(["required", "preferred", "discouraged"])
      .nullish()
      .describe(
        "Whether the key asks for a PIN or a fingerprint: required, preferred or discouraged (preferred).",
      ),
    enrollment: z
      .enum(["open", "closed"])
      .nullish()
      .describe("open: a user without keys registers the first one; closed: such a user gets 401 (open)."),
    max_keys: z.int().min(1).max(mostKeys).nullish().describe("Most keys of a user, 1 to 50 (10)."),
    path: z
      .string()
      .regex(/^\/[!-:<-~]*$/, { error: "path does not start with a slash, or has a space" })
      .nullish()
      .describe("Path of the page where users add and remove keys (/.passkeys)."),
    session_inactivity_timeout: configDuration()
      .nullish()
      .describe("How long after the last request a session ends (1h)."),
    cookie_name: z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]{0,64}$/, { error: "cookie_name is no name of a cookie" })
      .nullish()
      .describe("Name of the session's cookie (passkey_sess)."),
    cookie_path: z
      .string()
      .regex(/^(?:[!-:<-~])*$/, { error: "cookie_path has a character that cookies cannot have" })
      .nullish()
      .describe("Path below which the cookie counts (/)."),
    cookie_domain: z
      .string()
      .regex(/^[\w.-]*$/, { error: "cookie_domain is no name" })
      .nullish()
      .describe("Domain whose hosts share the cookie (this host only)."),
    username_placeholder: z.string().nullish().describe("Who the first factor found ({http.auth.user.id})."),
  })
  .refine(
    ({ rp_id: domain, origins }) =>
      (origins ?? []).every((text) => {
        const host = URL.parse(text)?.hostname ?? "";
        return host === domain || host.endsWith(`.${domain}`);
      }),
    { error: "an entry of origins is neither rp_id nor below it, so that browsers would refuse it" },
  );

export type WebauthnConfig = z.infer<typeof webauthnSchema>;
