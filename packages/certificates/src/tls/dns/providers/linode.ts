import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { isSameValue, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

/** The API rounds the TTL to 300, 3600 and other values. */
const minTtlSeconds = 300;
const pageSize = 500;

const domainsSchema = z.object({ data: z.array(z.object({ id: z.number(), domain: z.string() })) });
const recordsSchema = z.object({
  data: z.array(z.object({ id: z.number(), type: z.string(), name: z.string(), target: z.string() })),
  pages: z.number(),
});
const faultSchema = z.object({ errors: z.array(z.object({ reason: z.string() })).min(1) });

const configSchema = z.strictObject({
  api_token: filledText("Personal access token that may read and write domains."),
  api_url: filledText("Where the API is (https://api.linode.com).").nullish(),
  api_version: filledText("Version of the API (v4).").nullish(),
});

/** Source: https://techdocs.akamai.com/linode-api/reference/get-domain-records */
export function linodeApi(config: z.infer<typeof configSchema>): ZoneApi<number> {
  const name = "linode";
  const url = (config.api_url || "https://api.linode.com").replace(/\/+$/, "");
  const client = new ApiClient({
    name,
    base: `${url}/${config.api_version || "v4"}`,
    authorize: () => ({ authorization: `Bearer ${config.api_token}` }),
    reasonOf: (text) => {
      try {
        return faultSchema
          .parse(JSON.parse(text))
          .errors.map(({ reason }) => reason)
          .join("; ");
      } catch {
        return undefined;
      }
    },
  });
  return {
    name,
    async zone(zone) {
      const filter = { "x-filter": JSON.stringify({ domain: zone }) };
      const { data } = await client.json(domainsSchema, { method: "GET", path: "/domains", headers: filter });
      return data.find(({ domain }) => domain === zone)?.id;
    },
    async add(zone, { label, type, value, ttlSeconds }) {
      await client.ask({
        method: "POST",
        path: `${pathOf("domains", zone)}/records`,
        body: { type, name: label, target: value, ttl_sec: Math.max(minTtlSeconds, ttlSeconds) },
      });
    },
    async remove(zone, record) {
      const path = `${pathOf("domains", zone)}/records`;
      const found: number[] = [];
      for (let page = 1, pages = 1; page <= pages; page++) {
        const query = { page: String(page), page_size: String(pageSize) };
        const answer = await client.json(recordsSchema, { method: "GET", path, query });
        found.push(
          ...answer.data
            .filter(({ type, name: label }) => type === record.type && label === record.label)
            .filter(({ target }) => isSameValue(record, target))
            .map(({ id }) => id),
        );
        pages = answer.pages;
      }
      for (const id of found) {
        await client.ask({ method: "DELETE", path: `${path}${pathOf(id)}` }, [404]);
      }
    },
    close: () => client.close(),
  };
}

export const linodeProvider = defineModule({
  id: "dns.providers.linode",
  config: configSchema,
  provision: (config) => zoneProvider(linodeApi(filled(config, ["api_token"]))),
});
