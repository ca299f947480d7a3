import { configDuration, inlineModule } from "server-core/modules/config-fields";
import { z } from "zod";
import { keyTypes } from "../../material/key-pair.ts";

/** One policy of `tls.automation`. Source: Caddy 2.11 */
export const automationPolicySchema = z.strictObject({
  subjects: z.array(z.string()).nullish().describe("Names it is for, `*` for a label (all)."),
  issuers: z
    .array(inlineModule("tls.issuance", "module"))
    .nullish()
    .describe("Authorities, asked in order until one issues (ACME for public names, internal for others)."),
  get_certificate: z
    .array(inlineModule("tls.get_certificate", "via"))
    .nullish()
    .describe(
      "Others that have certificates, asked in order when a client first asks for a name; who issues is asked after them, with permission.",
    ),
  key_type: z
    .union([z.enum(keyTypes), z.string().regex(/\{.+\}/)])
    .nullish()
    .describe("Of new keys (p256); `{env.X}` is one of these."),
  renewal_window_ratio: z
    .number()
    .gt(0)
    .lt(1)
    .nullish()
    .describe("A certificate is renewed when so much of its life is left (1/3)."),
  reuse_private_keys: z.boolean().nullish().describe("Whether renewal keeps the key."),
  on_demand: z
    .boolean()
    .nullish()
    .describe("Certificates are obtained when a client first asks for the name, not before."),
  storage: inlineModule("storage", "module").nullish().describe("Where certificates rest (as all does)."),
  must_staple: z
    .literal(false, {
      error:
        "must_staple is not supported: there is no OCSP stapling, so clients would not take such a certificate",
    })
    .nullish()
    .describe("There is no OCSP stapling, which authorities end: false."),
  disable_ocsp_stapling: z.boolean().nullish().describe("There is no OCSP stapling: nothing to disable."),
  ocsp_overrides: z
    .record(z.string(), z.string())
    .nullish()
    .describe("There is no OCSP stapling: without effect."),
});

export type AutomationPolicyConfig = z.infer<typeof automationPolicySchema>;

export const automationSchema = z.strictObject({
  policies: z.array(automationPolicySchema).nullish().describe("The first whose subjects fit a name counts."),
  on_demand: z
    .strictObject({
      ask: z.string().nullish().describe("Deprecated: as permission {module: http, endpoint}."),
      permission: inlineModule("tls.permission", "module")
        .nullish()
        .describe(
          "Who is asked whether a certificate may be obtained; on_demand needs it, but for listed names without `*`, and the issuer internal alone.",
        ),
    })
    .nullish()
    .describe("Rules for certificates that are obtained during handshakes."),
  renew_interval: configDuration().nullish().describe("How often it is looked for what to renew (10m)."),
  ocsp_interval: configDuration().nullish().describe("There is no OCSP stapling: without effect."),
  storage_clean_interval: configDuration()
    .nullish()
    .describe("How often certificates that were over two weeks ago are removed from the storage (24h)."),
});

export type AutomationConfig = z.infer<typeof automationSchema>;
