import { configDuration, inlineModule, moduleMap, notYet } from "server-core/modules/config-fields";
import { z } from "zod";
import { automationSchema } from "./automation/automation-schema.ts";
import { dnsServers } from "./dns/dns-servers.ts";

/** The app `tls`. Source: Caddy 2.11 */
export const tlsAppSchema = z.strictObject({
  certificates: moduleMap("tls.certificates")
    .nullish()
    .describe(
      "Certificates: load_files, load_folders, load_pem, load_storage; and `automate`, names to manage.",
    ),
  automation: automationSchema.nullish().describe("How certificates are obtained and renewed."),
  session_tickets: z
    .strictObject({
      disabled: z.boolean().nullish().describe("No tickets: every connection has a full handshake."),
      disable_rotation: z.boolean().nullish().describe("The key stays until the server ends."),
      rotation_interval: configDuration().nullish().describe("How long a key is in use (12h)."),
      max_keys: z
        .int()
        .positive()
        .nullish()
        .describe("Keys that count at a time (4): a session is resumed so many intervals later."),
      key_source: z
        .discriminatedUnion("provider", [
          z.strictObject({ provider: z.literal("standard") }),
          z.strictObject({
            provider: z.literal("distributed"),
            storage: inlineModule("storage", "module").nullish().describe("Where keys rest (as all does)."),
          }),
        ])
        .nullish()
        .describe(
          "`standard`: made by this server, kept in its memory. `distributed`: kept in the storage, the same for all servers that share it.",
        ),
    })
    .nullish()
    .describe("Tickets by which clients resume sessions; all threads take them."),
  cache: z
    .strictObject({
      capacity: z
        .int()
        .min(0)
        .nullish()
        .describe("Certificates had on demand that are kept in memory (10000); 0: no limit."),
    })
    .nullish()
    .describe("Certificates in memory. Those from files and of configured names are there always."),
  disable_ocsp_stapling: z.boolean().nullish().describe("There is no OCSP stapling: nothing to disable."),
  disable_storage_check: z
    .boolean()
    .nullish()
    .describe("Whether the storage is not tried before certificates are obtained."),
  disable_storage_clean: z
    .boolean()
    .nullish()
    .describe("Whether certificates that are long over stay in the storage."),
  encrypted_client_hello: notYet(
    "Node has no Encrypted Client Hello: its OpenSSL is 3.5, and OpenSSL 4 is the first with it",
  ),
  dns: inlineModule("dns.providers", "name")
    .nullish()
    .describe("Who changes the zone for ACME issuers whose `challenges/dns` names no provider."),
  resolvers: dnsServers()
    .nullish()
    .describe("DNS servers that challenges of ACME are looked up at, unless they name some (the system's)."),
});

export type TlsConfig = z.infer<typeof tlsAppSchema>;
