import { configDuration } from "server-core/modules/config-fields";
import { z } from "zod";

/** Config of the handler. Source: Caddy's plug-in (steffenbusch/caddy-postauth-2fa) */
export const postauth2faSchema = z.strictObject({
  session_inactivity_timeout: configDuration()
    .nullish()
    .describe("How long after the last request a session ends (1h)."),
  secrets_file_path: z
    .string()
    .nullish()
    .describe('JSON file with the secret of each user: {"ann": {"totp_secret": "<base32>"}}.'),
  secrets: z
    .record(z.string(), z.string())
    .nullish()
    .describe(
      "Secrets by user, in base32, besides those of the file. Global placeholders allowed, such as {env.X}.",
    ),
  cookie_name: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]{0,64}$/, { error: "cookie_name is no name of a cookie" })
    .nullish()
    .describe("Name of the session's cookie (cpa_sess)."),
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
  ip_binding: z
    .string()
    .nullish()
    .describe(
      'Whether a session counts for one client address only: "true" or "false"; placeholders allowed (true).',
    ),
  form_template: z.string().nullish().describe("Template of the form in place of the built-in one."),
  totp_code_length: z
    .int()
    .refine((digits) => [0, 6, 8].includes(digits), { error: "totp_code_length is 6 or 8" })
    .nullish()
    .describe("Digits of a code (6)."),
  sign_key: z
    .string()
    .describe("Key of sessions: 32 bytes or more in base64. Global placeholders allowed, such as {env.X}."),
  encryption_key: z
    .string()
    .nullish()
    .describe("Key of encrypted secrets: 32 bytes in base64. Global placeholders allowed."),
});

export type Postauth2faConfig = z.infer<typeof postauth2faSchema>;
