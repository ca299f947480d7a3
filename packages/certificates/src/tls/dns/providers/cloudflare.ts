import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { isSameValue, quotedText, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

/** Apart from 1, which means automatic, the API accepts only TTLs from 60 seconds. */
const minTtlSeconds = 60;
const pageSize = 100;
/** "An identical record already exists." */
const identicalCode = 81_058;

const faultsSchema = z.object({
  errors: z.array(z.object({ code: z.number(), message: z.string() })).min(1),
});
const zonesSchema = z.object({ result: z.array(z.object({ id: z.string(), name: z.string() })) });
const recordsSchema = z.object({ result: z.array(z.object({ id: z.string(), content: z.string() })) });

function faultsIn(text: string) {
  try {
    return faultsSchema.parse(JSON.parse(text)).errors;
  } catch {
    return [];
  }
}

const configSchema = z.strictObject({
  api_token: filledText(
    "API token with the permission Zone.DNS:Edit; without `zone_token` also Zone.Zone:Read.",
  ),
  zone_token: filledText("API token with Zone.Zone:Read of all zones (`api_token`).").nullish(),
});

/** Source: https://developers.cloudflare.com/api/resources/dns/ */
export function cloudflareApi(
  config: z.infer<typeof configSchema>,
  base = "https://api.cloudflare.com/client/v4",
): ZoneApi<string> {
  const { api_token: token, zone_token: zoneToken } = config;
  const name = "cloudflare";
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const client = new ApiClient({
    name,
    base,
    reasonOf: (text) =>
      faultsIn(text)
        .map(({ code, message }) => `${message} (${code})`)
        .join("; ") || undefined,
  });
  return {
    name,
    async zone(zone) {
      const { result } = await client.json(zonesSchema, {
        method: "GET",
        path: "/zones",
        query: { name: zone },
        headers: bearer(zoneToken || token),
      });
      return result.find((each) => each.name === zone)?.id;
    },
    async add(zone, { name: full, type, value, ttlSeconds }) {
      const call = {
        method: "POST",
        path: `${pathOf("zones", zone)}/dns_records`,
        headers: bearer(token),
        body: {
          type,
          name: full,
          content: type === "TXT" ? quotedText(value) : value,
          ttl: Math.max(minTtlSeconds, ttlSeconds),
        },
      } as const;
      const { status, text } = await client.ask(call, [400]);
      const faults = status === 400 ? faultsIn(text) : [];
      if (status === 400 && !faults.some(({ code }) => code === identicalCode)) {
        throw client.error(call, `400: ${faults.map(({ message }) => message).join("; ")}`);
      }
    },
    async remove(zone, record) {
      const path = `${pathOf("zones", zone)}/dns_records`;
      const headers = bearer(token);
      const query = { type: record.type, "name.exact": record.name, per_page: String(pageSize) };
      const { result } = await client.json(recordsSchema, { method: "GET", path, query, headers });
      for (const { id } of result.filter(({ content }) => isSameValue(record, content))) {
        await client.ask({ method: "DELETE", path: `${path}${pathOf(id)}`, headers }, [404]);
      }
    },
    close: () => client.close(),
  };
}

/**
 * The form of an API token. A text in another form was copied with braces or quotes, or is a global key. Source:
 * caddy-dns/cloudflare
 */
const tokenForm = /^(?:[\w-]{35,50}|cf[ua]t_[\w-]+)$/;

export const cloudflareProvider = defineModule({
  id: "dns.providers.cloudflare",
  config: configSchema,
  provision(given) {
    const config = filled(given, ["api_token"]);
    if (!tokenForm.test(config.api_token)) {
      throw new ServerError(
        "MODULE_CONFIG",
        "api_token has not the form of a token: is it wrapped in braces or quotes, or is it a global API key?",
      );
    }
    return zoneProvider(cloudflareApi(config));
  },
});
