import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { isSameValue, quotedText, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 60;
const pageSize = 500;

const domainSchema = z.object({ domain: z.object({ domain: z.string() }) });
const recordsSchema = z.object({
  records: z.array(z.object({ id: z.string(), type: z.string(), name: z.string(), data: z.string() })),
  meta: z.object({ links: z.object({ next: z.string() }) }).optional(),
});

const configSchema = z.strictObject({ api_token: filledText("API key of the account.") });

/** Source: https://www.vultr.com/api/#tag/dns */
export function vultrApi(
  { api_token: token }: z.infer<typeof configSchema>,
  base = "https://api.vultr.com/v2",
): ZoneApi<string> {
  const name = "vultr";
  const client = new ApiClient({ name, base, authorize: () => ({ authorization: `Bearer ${token}` }) });
  return {
    name,
    zone: async (zone) =>
      (await client.find(domainSchema, { method: "GET", path: pathOf("domains", zone) }))?.domain.domain,
    async add(zone, { label, type, value, ttlSeconds }) {
      await client.ask({
        method: "POST",
        path: `${pathOf("domains", zone)}/records`,
        body: {
          type,
          name: label,
          data: type === "TXT" ? quotedText(value) : value,
          ttl: Math.max(minTtlSeconds, ttlSeconds),
        },
      });
    },
    async remove(zone, record) {
      const path = `${pathOf("domains", zone)}/records`;
      const found: string[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const query = { per_page: String(pageSize), ...(cursor === "" ? {} : { cursor }) };
        const answer: z.infer<typeof recordsSchema> = await client.json(recordsSchema, {
          method: "GET",
          path,
          query,
        });
        found.push(
          ...answer.records
            .filter(({ type, name: label }) => type === record.type && label === record.label)
            .filter(({ data }) => isSameValue(record, data))
            .map(({ id }) => id),
        );
        cursor = answer.meta?.links.next || undefined;
      }
      for (const id of found) {
        await client.ask({ method: "DELETE", path: `${path}${pathOf(id)}` }, [404]);
      }
    },
    close: () => client.close(),
  };
}

export const vultrProvider = defineModule({
  id: "dns.providers.vultr",
  config: configSchema,
  provision: (config) => zoneProvider(vultrApi(filled(config, ["api_token"]))),
});
