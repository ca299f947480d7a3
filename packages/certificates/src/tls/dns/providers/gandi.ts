import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { type DnsRecord, recordSetChanges, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 300;

const domainSchema = z.object({ fqdn: z.string() });
const setSchema = z.object({ rrset_values: z.array(z.string()), rrset_ttl: z.number().optional() });

const configSchema = z.strictObject({
  bearer_token: filledText("Personal access token that may manage the domain's technical configurations."),
});

/** Source: https://api.gandi.net/docs/livedns/ */
export function gandiApi(
  { bearer_token: token }: z.infer<typeof configSchema>,
  base = "https://api.gandi.net/v5/livedns",
): ZoneApi<string> {
  const name = "gandi";
  const client = new ApiClient({ name, base, authorize: () => ({ authorization: `Bearer ${token}` }) });
  const pathOfSet = (zone: string, { label, type }: DnsRecord) =>
    pathOf("domains", zone, "records", label || "@", type);
  return {
    name,
    zone: async (zone) =>
      (await client.find(domainSchema, { method: "GET", path: pathOf("domains", zone) }))?.fqdn,
    ...recordSetChanges<string>({
      async read(zone, record) {
        const found = await client.find(setSchema, { method: "GET", path: pathOfSet(zone, record) });
        return found && { values: found.rrset_values, ttlSeconds: undefined };
      },
      async write(zone, record, { values, ttlSeconds: ttl }) {
        const path = pathOfSet(zone, record);
        const ttlField = ttl === undefined ? {} : { rrset_ttl: Math.max(minTtlSeconds, ttl) };
        await (values.length === 0
          ? client.ask({ method: "DELETE", path }, [404])
          : client.ask({ method: "PUT", path, body: { rrset_values: values, ...ttlField } }));
        return undefined;
      },
    }),
    close: () => client.close(),
  };
}

export const gandiProvider = defineModule({
  id: "dns.providers.gandi",
  config: configSchema,
  provision: (config) => zoneProvider(gandiApi(filled(config, ["bearer_token"]))),
});
