import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { recordSetChanges, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

const domainSchema = z.object({ name: z.string(), minimum_ttl: z.number() });
const setSchema = z.object({ records: z.array(z.string()), ttl: z.number() });

const configSchema = z.strictObject({ token: filledText("Token of the account.") });

/** A zone, with its minimum TTL. */
interface DesecZone {
  readonly name: string;
  readonly minTtlSeconds: number;
}

/** Source: https://desec.readthedocs.io/en/latest/dns/rrsets.html */
export function desecApi(
  { token }: z.infer<typeof configSchema>,
  base = "https://desec.io/api/v1",
): ZoneApi<DesecZone> {
  const name = "desec";
  const client = new ApiClient({ name, base, authorize: () => ({ authorization: `Token ${token}` }) });
  return {
    name,
    async zone(zone) {
      const found = await client.find(domainSchema, { method: "GET", path: `${pathOf("domains", zone)}/` });
      return found === undefined ? undefined : { name: found.name, minTtlSeconds: found.minimum_ttl };
    },
    ...recordSetChanges<DesecZone>({
      async read(zone, { label, type }) {
        const path = `${pathOf("domains", zone.name, "rrsets", label || "@", type)}/`;
        const found = await client.find(setSchema, { method: "GET", path });
        return found && { values: found.records, ttlSeconds: found.ttl };
      },
      async write(zone, { label, type }, { values, ttlSeconds = 0 }) {
        const ttl = Math.max(zone.minTtlSeconds, ttlSeconds);
        await client.ask({
          method: "PATCH",
          path: `${pathOf("domains", zone.name, "rrsets")}/`,
          body: [{ subname: label, type, ttl, records: values }],
        });
        return undefined;
      },
    }),
    close: () => client.close(),
  };
}

export const desecProvider = defineModule({
  id: "dns.providers.desec",
  config: configSchema,
  provision: (config) => zoneProvider(desecApi(filled(config, ["token"]))),
});
