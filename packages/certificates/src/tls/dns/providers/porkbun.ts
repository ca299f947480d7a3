import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { isSameValue, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 600;

const statusSchema = z.object({ status: z.string(), message: z.string().optional() });
const recordsSchema = statusSchema.extend({
  records: z.array(z.object({ id: z.union([z.string(), z.number()]), content: z.string().nullable() })),
});

const configSchema = z.strictObject({
  api_key: filledText("API key; the domain must have API access switched on."),
  api_secret_key: filledText("Secret of the key."),
});

/** Every request is a POST whose body contains the keys. Source: https://porkbun.com/api/json/v3/documentation */
export function porkbunApi(
  { api_key: apikey, api_secret_key: secretapikey }: z.infer<typeof configSchema>,
  base = "https://api.porkbun.com/api/json/v3",
): ZoneApi<string> {
  const name = "porkbun";
  const client = new ApiClient({ name, base });
  const post = (path: string, more: object = {}) =>
    ({ method: "POST", path, body: { apikey, secretapikey, ...more } }) as const;
  const labelPath = (label: string) => (label === "" ? "" : pathOf(label));
  return {
    name,
    async zone(zone) {
      // The API returns 400 both for a domain of another account and for a wrong key; only the former is no error here.
      const call = post(`/dns/retrieveByNameType${pathOf(zone, "NS")}`);
      const answer = await client.ask(call, [400]);
      if (answer.status !== 400) {
        return zone;
      }
      const { message = "" } = client.read(statusSchema, call, answer);
      if (/invalid domain|domain is not/i.test(message)) {
        return undefined;
      }
      throw client.error(call, `400: ${message}`);
    },
    async add(zone, { label, type, value, ttlSeconds }) {
      const ttl = String(Math.max(minTtlSeconds, ttlSeconds));
      await client.ask(post(`/dns/create${pathOf(zone)}`, { name: label, type, content: value, ttl }));
    },
    async remove(zone, record) {
      const path = `/dns/retrieveByNameType${pathOf(zone, record.type)}${labelPath(record.label)}`;
      const { records } = await client.json(recordsSchema, post(path));
      for (const { id } of records.filter(({ content }) => isSameValue(record, content ?? ""))) {
        await client.ask(post(`/dns/delete${pathOf(zone, id)}`));
      }
    },
    close: () => client.close(),
  };
}

export const porkbunProvider = defineModule({
  id: "dns.providers.porkbun",
  config: configSchema,
  provision: (config) => zoneProvider(porkbunApi(filled(config, ["api_key", "api_secret_key"]))),
});
