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
  const setOf = async (zone: DesecZone, { label, type }: DnsRecord) =>
    await client.find(setSchema, {
      method: "GET",
      path: `${pathOf("domains", zone.name, "rrsets", label || "@", type)}/`,
    });
  /** Replaces the values of a name; an empty list removes the name's records. */
  const set = (zone: DesecZone, { label, type }: DnsRecord, records: readonly string[], ttl: number) =>
    client.ask({
      method: "PATCH",
      path: `${pathOf("domains", zone.name, "rrsets")}/`,
      body: [{ subname: label, type, ttl, records }],
    });
  return {
    name,
    async zone(zone) {
      const found = await client.find(domainSchema, { method: "GET", path: `${pathOf("domains", zone)}/` });
      return found === undefined ? undefined : { name: found.name, minTtlSeconds: found.minimum_ttl };
    },
    async add(zone, record) {
      const records = (await setOf(zone, record))?.records ?? [];
      if (!records.some((value) => isSameValue(record, value))) {
        const ttl = Math.max(zone.minTtlSeconds, record.ttlSeconds);
        await set(zone, record, [...records, zoneFileValue(record)], ttl);
      }
    },
    async remove(zone, record) {
      const found = await setOf(zone, record);
      const rest = found?.records.filter((value) => !isSameValue(record, value)) ?? [];
      if (found !== undefined && rest.length < found.records.length) {
        await set(zone, record, rest, found.ttl);
      }
    },
    close: () => client.close(),
  };
}

export const desecProvider = defineModule({
  id: "dns.providers.desec",
  config: configSchema,
  provision: (config) => zoneProvider(desecApi(filled(config, ["token"]))),
});
