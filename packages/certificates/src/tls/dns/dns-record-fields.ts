import { configDuration } from "server-core/modules/config-fields";
import { z } from "zod";
import { dnsServers } from "./dns-servers.ts";

/** Settings of the DNS record that proves a name, for the schemas of the issuers `acme` and `zerossl`. */
export const dnsRecordFields = {
  ttl: configDuration().nullish().describe("Of the record (2m)."),
  propagation_delay: configDuration().nullish().describe("Pause before it is looked for (0)."),
  propagation_timeout: z
    .union([z.literal(-1), configDuration()])
    .nullish()
    .describe("How long it is looked for (2m); -1: not at all."),
  resolvers: dnsServers()
    .nullish()
    .describe("DNS servers that are asked for it (those of the app tls, else of the system)."),
};
