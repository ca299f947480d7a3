import { createHash } from "node:crypto";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { isSameValue, type ZoneApi, zoneFileValue, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 60;

/** Source: https://github.com/ovh/go-ovh, the endpoints of its configuration */
const endpoints: Readonly<Record<string, string>> = {
  "ovh-eu": "https://eu.api.ovh.com/1.0",
  "ovh-ca": "https://ca.api.ovh.com/1.0",
  "ovh-us": "https://api.us.ovhcloud.com/1.0",
};

const zoneSchema = z.object({ name: z.string() });
const recordSchema = z.object({ id: z.number(), target: z.string() });

const configSchema = z.strictObject({
  endpoint: filledText("`ovh-eu`, `ovh-ca`, `ovh-us`, or the URL of an API."),
  application_key: filledText("Key of the application."),
  application_secret: filledText("Secret of the application."),
  consumer_key: filledText("Consumer key that may GET, POST and DELETE below /domain/zone/."),
});

/**
 * Reads the provider's clock, because signatures must contain its time. The clock is read once; after a failure it is
 * read again.
 * @returns the provider's time in seconds since 1970
 */
function clockOf(client: ApiClient): () => Promise<number> {
  /** The provider's time minus this machine's time, in seconds. */
  let offset: Promise<number> | undefined;
  return async () => {
    offset ??= client
      .json(z.number(), { method: "GET", path: "/auth/time" })
      .then((theirs) => theirs - Math.floor(Date.now() / 1000));
    offset.catch(() => {
      offset = undefined;
    });
    return Math.floor(Date.now() / 1000) + (await offset);
  };
}

/** Source: https://eu.api.ovh.com/console/?section=%2Fdomain&branch=v1 and its guide "First steps" for signatures */
export function ovhApi(config: z.infer<typeof configSchema>): ZoneApi<string> {
  const name = "ovh";
  const base = (endpoints[config.endpoint] ?? config.endpoint).replace(/\/+$/, "");
  const open = new ApiClient({ name, base });
  const providerTime = clockOf(open);
  const client = new ApiClient({
    name,
    base,
    async authorize({ method }, url, body = "") {
      const time = await providerTime();
      const { application_key: key, application_secret: secret, consumer_key: consumer } = config;
      const signed = [secret, consumer, method, url.href, body, time].join("+");
      return {
        "x-ovh-application": key,
        "x-ovh-consumer": consumer,
        "x-ovh-timestamp": String(time),
        "x-ovh-signature": `$1$${createHash("sha1").update(signed).digest("hex")}`,
      };
    },
  });
  const recordsOf = (zone: string) => `${pathOf("domain", "zone", zone)}/record`;
  /** Changes take effect only after this call. */
  const refresh = (zone: string) =>
    client.ask({ method: "POST", path: `${pathOf("domain", "zone", zone)}/refresh` });
  return {
    name,
    zone: async (zone) =>
      (await client.find(zoneSchema, { method: "GET", path: pathOf("domain", "zone", zone) }))?.name,
    async add(zone, record) {
      await client.ask({
        method: "POST",
        path: recordsOf(zone),
        body: {
          fieldType: record.type,
          subDomain: record.label,
          target: zoneFileValue(record),
          ttl: Math.max(minTtlSeconds, record.ttlSeconds),
        },
      });
      await refresh(zone);
    },
    async remove(zone, record) {
      const query = { fieldType: record.type, subDomain: record.label };
      const ids = await client.json(z.array(z.number()), { method: "GET", path: recordsOf(zone), query });
      for (const id of ids) {
        const path = `${recordsOf(zone)}${pathOf(id)}`;
        const found = await client.find(recordSchema, { method: "GET", path });
        if (found !== undefined && isSameValue(record, found.target)) {
          await client.ask({ method: "DELETE", path }, [404]);
        }
      }
      await refresh(zone);
    },
    async close() {
      await open.close();
      await client.close();
    },
  };
}

export const ovhProvider = defineModule({
  id: "dns.providers.ovh",
  config: configSchema,
  provision(given) {
    const config = filled(given, ["endpoint", "application_key", "application_secret", "consumer_key"]);
    if (!Object.hasOwn(endpoints, config.endpoint) && URL.parse(config.endpoint) === null) {
      const known = Object.keys(endpoints).join(", ");
      throw new ServerError(
        "MODULE_CONFIG",
        `endpoint ${JSON.stringify(config.endpoint)} is none of ${known}, and no URL`,
      );
    }
    return zoneProvider(ovhApi(config));
  },
});
