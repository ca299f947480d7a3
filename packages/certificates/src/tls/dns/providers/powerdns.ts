import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import {
  type DnsRecord,
  isSameValue,
  type ZoneApi,
  zoneFileValue,
  zoneProvider,
} from "../api/zone-provider.ts";

const zonesSchema = z.array(z.object({ id: z.string(), name: z.string() }));
const zoneSchema = z.object({
  rrsets: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      ttl: z.number(),
      records: z.array(z.object({ content: z.string(), disabled: z.boolean().optional() })),
    }),
  ),
});

const configSchema = z.strictObject({
  server_url: filledText("Where the API is: `http://ns1.example.com:8081`."),
  server_id: filledText("Name of the server in the API (localhost).").nullish(),
  api_token: filledText("The server's `api-key`."),
  debug: z.string().nullish().describe("Taken for the public model's sake; changes nothing."),
});

/** Source: https://doc.powerdns.com/authoritative/http-api/zone.html */
export function powerdnsApi(config: z.infer<typeof configSchema>): ZoneApi<string> {
  const name = "powerdns";
  const client = new ApiClient({
    name,
    base: config.server_url.replace(/\/+$/, ""),
    authorize: () => ({ "x-api-key": config.api_token }),
  });
  const zonesPath = `${pathOf("api", "v1", "servers", config.server_id || "localhost")}/zones`;
  const recordsOf = async (zone: string, { name: full, type }: DnsRecord) => {
    const { rrsets } = await client.json(zoneSchema, {
      method: "GET",
      path: `${zonesPath}${pathOf(zone)}`,
      query: { rrset_name: `${full}.`, rrset_type: type },
    });
    // Servers before 4.3 do not filter.
    return rrsets.find((set) => set.name === `${full}.` && set.type === type);
  };
  const change = (zone: string, record: DnsRecord, how: object) =>
    client.ask({
      method: "PATCH",
      path: `${zonesPath}${pathOf(zone)}`,
      body: { rrsets: [{ name: `${record.name}.`, type: record.type, ...how }] },
    });
  return {
    name,
    async zone(zone) {
      const query = { zone: `${zone}.` };
      const zones = await client.json(zonesSchema, { method: "GET", path: zonesPath, query });
      return zones.find((each) => each.name === `${zone}.`)?.id;
    },
    async add(zone, record) {
      const records = (await recordsOf(zone, record))?.records ?? [];
      if (!records.some(({ content }) => isSameValue(record, content))) {
        await change(zone, record, {
          changetype: "REPLACE",
          ttl: record.ttlSeconds,
          records: [...records, { content: zoneFileValue(record), disabled: false }],
        });
      }
    },
    async remove(zone, record) {
      const found = await recordsOf(zone, record);
      const rest = found?.records.filter(({ content }) => !isSameValue(record, content)) ?? [];
      if (found !== undefined && rest.length === 0) {
        await change(zone, record, { changetype: "DELETE" });
      } else if (found !== undefined && rest.length < found.records.length) {
        await change(zone, record, { changetype: "REPLACE", ttl: found.ttl, records: rest });
      }
    },
    close: () => client.close(),
  };
}

export const powerdnsProvider = defineModule({
  id: "dns.providers.powerdns",
  config: configSchema,
  provision: (config) => zoneProvider(powerdnsApi(filled(config, ["server_url", "api_token"]))),
});
