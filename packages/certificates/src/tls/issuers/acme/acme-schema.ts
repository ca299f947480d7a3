import { configDuration, inlineModule } from "server-core/modules/config-fields";
import { z } from "zod";
import { dnsRecordFields } from "../../dns/dns-record-fields.ts";

/** A port on which the authority's request arrives. A router may have forwarded it from another port. */
const port = z.int().min(1).max(65_535).nullish();

/** A URL, or a text whose placeholders are filled when the issuer is created. */
const url = z.union([z.url(), z.string().regex(/\{.+\}/)]);

/** Config of the issuer `acme`. Source: Caddy 2.11 */
export const acmeSchema = z.strictObject({
  ca: url.nullish().describe("The authority's directory (Let's Encrypt)."),
  test_ca: url
    .nullish()
    .describe(
      "Directory of an authority at which attempts after a failure are tried out, before `ca` is asked; its certificates are thrown away (Let's Encrypt's staging for Let's Encrypt, else none).",
    ),
  email: z.string().nullish().describe("Where the authority may write to."),
  profile: z.string().nullish().describe("Profile of the certificate, where the authority has some."),
  account_key: z
    .string()
    .nullish()
    .describe("PEM of an account's key (P-256); absent: made, and kept in the storage."),
  external_account: z
    .strictObject({
      key_id: z.string().describe("What the authority calls the account."),
      mac_key: z.string().describe("Its secret, base64url."),
    })
    .nullish()
    .describe("An account that the authority knows from elsewhere."),
  acme_timeout: configDuration().nullish().describe("For one attempt (5m)."),
  challenges: z
    .strictObject({
      http: z
        .strictObject({
          disabled: z.boolean().nullish().describe("No HTTP-01."),
          alternate_port: port.describe("Port on which port 80 arrives (80)."),
        })
        .nullish(),
      "tls-alpn": z
        .strictObject({
          disabled: z.boolean().nullish().describe("No TLS-ALPN-01."),
          alternate_port: port.describe("Port on which port 443 arrives (443)."),
        })
        .nullish(),
      dns: z
        .strictObject({
          provider: inlineModule("dns.providers", "name")
            .nullish()
            .describe("Who changes the zone (`dns` of the app tls)."),
          ...dnsRecordFields,
          override_domain: z
            .string()
            .nullish()
            .describe("Name of the record, where _acme-challenge points elsewhere."),
        })
        .nullish()
        .describe("With it only DNS-01 is used."),
      bind_host: z.string().nullish().describe("Address for challenge listeners (all)."),
      distributed: z
        .boolean()
        .nullish()
        .describe(
          "Whether instances that share the storage answer for each other (true); false: HTTP-01 is answered for each token, by the account's key.",
        ),
    })
    .nullish()
    .describe("How names are proved."),
  trusted_roots_pem_files: z
    .array(z.string())
    .nullish()
    .describe("Roots for the authority's own certificate."),
  preferred_chains: z
    .strictObject({
      smallest: z.boolean().nullish().describe("The shortest chain."),
      root_common_name: z
        .array(z.string())
        .nullish()
        .describe("Issuer of the last certificate of the chain."),
      any_common_name: z.array(z.string()).nullish().describe("Issuer of any certificate of the chain."),
    })
    .nullish()
    .describe("Which chain to take where the authority offers several."),
  certificate_lifetime: configDuration()
    .nullish()
    .describe("What the authority is asked for (its own choice)."),
  network_proxy: inlineModule("network_proxy", "from")
    .nullish()
    .describe(
      "Proxy that leads to the authority (those of HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment).",
    ),
});

/** The config, both before and after its placeholders are filled. */
export type AcmeConfig = z.infer<typeof acmeSchema>;
