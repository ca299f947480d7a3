import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import {
  type DnsRecord,
  isSameValue,
  type ZoneApi,
  zoneFileValue,
  zoneProvider,
} from "../api/zone-provider.ts";

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
  const valuesOf = async (zone: string, record: DnsRecord) =>
    (await client.find(setSchema, { method: "GET", path: pathOfSet(zone, record) }))?.rrset_values ?? [];
  const set = (zone: string, record: DnsRecord, values: readonly string[], ttlSeconds?: number) =>
    client.ask({
      method: "PUT",
      path: pathOfSet(zone, record),
      body: { rrset_values: values, ...(ttlSeconds === undefined ? {} : { rrset_ttl: ttlSeconds }) },
    });
  return {
    name,
    zone: async (zone) =>
      (await client.find(domainSchema, { method: "GET", path: pathOf("domains", zone) }))?.fqdn,
    async add(zone, record) {
      const values = await valuesOf(zone, record);
      if (!values.some((value) => isSameValue(record, value))) {
        await set(
          zone,
          record,
          [...values, zoneFileValue(record)],
          Math.max(minTtlSeconds, record.ttlSeconds),
        );
      }
    },
    async remove(zone, record) {
      const values = await valuesOf(zone, record);
      const rest = values.filter((value) => !isSameValue(record, value));
      if (rest.length === 0 && values.length > 0) {
        await client.ask({ method: "DELETE", path: pathOfSet(zone, record) }, [404]);
      } else if (rest.length < values.length) {
        await set(zone, record, rest);
      }
    },
    close: () => client.close(),
  };
}

export const gandiProvider = defineModule({
  id: "dns.providers.gandi",
  config: configSchema,
  provision: (config) => zoneProvider(gandiApi(filled(config, ["bearer_token"]))),
});
