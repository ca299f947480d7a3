import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { isSameValue, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 30;
const pageSize = 200;

const domainSchema = z.object({ domain: z.object({ name: z.string() }) });
const recordsSchema = z.object({
  domain_records: z.array(z.object({ id: z.number(), data: z.string() })),
  links: z.object({ pages: z.object({ next: z.string().optional() }).optional() }).optional(),
});

const configSchema = z.strictObject({
  auth_token: filledText("Personal access token with the scopes of domains."),
});

/** Source: https://docs.digitalocean.com/reference/api/reference/domain-records/ */
export function digitaloceanApi(
  { auth_token: token }: z.infer<typeof configSchema>,
  base = "https://api.digitalocean.com/v2",
): ZoneApi<string> {
  const name = "digitalocean";
  const client = new ApiClient({ name, base, authorize: () => ({ authorization: `Bearer ${token}` }) });
  const recordsOf = (zone: string) => `${pathOf("domains", zone)}/records`;
  return {
    name,
    zone: async (zone) =>
      (await client.find(domainSchema, { method: "GET", path: pathOf("domains", zone) }))?.domain.name,
    async add(zone, { label, type, value, ttlSeconds }) {
      await client.ask({
        method: "POST",
        path: recordsOf(zone),
        body: {
          type,
          name: label || "@",
          data: type === "CNAME" ? `${value}.` : value,
          ttl: Math.max(minTtlSeconds, ttlSeconds),
        },
      });
    },
    async remove(zone, record) {
      const found: number[] = [];
      for (let page = 1, isMore = true; isMore; page++) {
        const answer = await client.json(recordsSchema, {
          method: "GET",
          path: recordsOf(zone),
          query: { type: record.type, name: record.name, page: String(page), per_page: String(pageSize) },
        });
        found.push(
          ...answer.domain_records.filter(({ data }) => isSameValue(record, data)).map(({ id }) => id),
        );
        isMore = answer.links?.pages?.next !== undefined;
      }
      for (const id of found) {
        await client.ask({ method: "DELETE", path: `${recordsOf(zone)}${pathOf(id)}` }, [404]);
      }
    },
    close: () => client.close(),
  };
}

export const digitaloceanProvider = defineModule({
  id: "dns.providers.digitalocean",
  config: configSchema,
  provision: (config) => zoneProvider(digitaloceanApi(filled(config, ["auth_token"]))),
});
