import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { type DnsRecord, isSameValue, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 600;

const domainSchema = z.object({ domain: z.string() });
const recordsSchema = z.array(z.object({ data: z.string(), ttl: z.number().optional() }));

const configSchema = z.strictObject({ api_token: filledText("Key and secret of the API as `KEY:SECRET`.") });

/** Source: https://developer.godaddy.com/doc/endpoint/domains */
export function godaddyApi(
  { api_token: token }: z.infer<typeof configSchema>,
  base = "https://api.godaddy.com/v1",
): ZoneApi<string> {
  const name = "godaddy";
  const client = new ApiClient({ name, base, authorize: () => ({ authorization: `sso-key ${token}` }) });
  const pathOfSet = (zone: string, { label, type }: DnsRecord) =>
    pathOf("domains", zone, "records", type, label || "@");
  return {
    name,
    zone: async (zone) =>
      (await client.find(domainSchema, { method: "GET", path: pathOf("domains", zone) }))?.domain,
    async add(zone, { label, type, value, ttlSeconds }) {
      await client.ask({
        method: "PATCH",
        path: pathOf("domains", zone, "records"),
        body: [{ type, name: label || "@", data: value, ttl: Math.max(minTtlSeconds, ttlSeconds) }],
      });
    },
    async remove(zone, record) {
      const path = pathOfSet(zone, record);
      const found = await client.json(recordsSchema, { method: "GET", path });
      const rest = found.filter(({ data }) => !isSameValue(record, data));
      if (rest.length === 0 && found.length > 0) {
        await client.ask({ method: "DELETE", path }, [404]);
      } else if (rest.length < found.length) {
        await client.ask({ method: "PUT", path, body: rest });
      }
    },
    close: () => client.close(),
  };
}

export const godaddyProvider = defineModule({
  id: "dns.providers.godaddy",
  config: configSchema,
  provision(given) {
    const config = filled(given, ["api_token"]);
    if (!/^[^:]+:[^:]+$/.test(config.api_token)) {
      throw new ServerError("MODULE_CONFIG", "api_token is not of the form KEY:SECRET");
    }
    return zoneProvider(godaddyApi(config));
  },
});
