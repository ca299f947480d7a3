import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { KeptToken } from "../api/access-token.ts";
import { ApiClient, pathOf } from "../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { type DnsRecord, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";
import type { DnsRecordType } from "../dns-provider.ts";

const apiVersion = "2018-05-01";
const identityApiVersion = "2018-02-01";
const resource = "https://management.azure.com/";
/** How often a change is refused, because somebody else changed the zone meanwhile, before it fails. */
const maxConflicts = 5;
const preconditionFailed = 412;

const tokenSchema = z.object({ access_token: z.string(), expires_in: z.coerce.number() });
const setSchema = z.object({
  etag: z.string(),
  properties: z.object({
    TTL: z.number(),
    TXTRecords: z.array(z.object({ value: z.array(z.string()) })).optional(),
    CNAMERecord: z.object({ cname: z.string() }).optional(),
    ARecords: z.array(z.object({ ipv4Address: z.string() })).optional(),
    AAAARecords: z.array(z.object({ ipv6Address: z.string() })).optional(),
  }),
});

/** The values of a set of records. */
function valuesOf(
  type: DnsRecordType,
  properties: Partial<z.infer<typeof setSchema>["properties"]>,
): string[] {
  const { TXTRecords = [], CNAMERecord, ARecords = [], AAAARecords = [] } = properties;
  switch (type) {
    case "TXT":
      return TXTRecords.map(({ value }) => value.join(""));
    case "CNAME":
      return CNAMERecord ? [CNAMERecord.cname] : [];
    case "A":
      return ARecords.map(({ ipv4Address }) => ipv4Address);
    case "AAAA":
      return AAAARecords.map(({ ipv6Address }) => ipv6Address);
  }
}

/** A set of records with these values. */
function propertiesOf(type: DnsRecordType, values: readonly string[]): object {
  switch (type) {
    case "TXT":
      return { TXTRecords: values.map((text) => ({ value: text.match(/.{1,255}/gs) ?? [""] })) };
    case "CNAME":
      return { CNAMERecord: { cname: values.at(-1) } };
    case "A":
      return { ARecords: values.map((ipv4Address) => ({ ipv4Address })) };
    case "AAAA":
      return { AAAARecords: values.map((ipv6Address) => ({ ipv6Address })) };
  }
}
const faultSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const configSchema = z.strictObject({
  subscription_id: filledText("Subscription that has the zones."),
  resource_group_name: filledText("Resource group that has the zones."),
  tenant_id: filledText("Directory of the application; absent with a managed identity.").nullish(),
  client_id: filledText("The application, or the managed identity where the machine has several.").nullish(),
  client_secret: filledText("Secret of the application; absent with a managed identity.").nullish(),
});

/** Where the provider's parts answer. */
interface AzureBases {
  readonly management: string;
  readonly login: string;
  /** The service that knows this machine's own identity, where it runs there. */
  readonly metadata: string;
}

const realBases: AzureBases = {
  management: "https://management.azure.com",
  login: "https://login.microsoftonline.com",
  metadata: "http://169.254.169.254",
};

/** Source: https://learn.microsoft.com/en-us/rest/api/dns/record-sets */
export function azureApi(config: z.infer<typeof configSchema>, bases = realBases): ZoneApi<string> {
  const name = "azure";
  const login = new ApiClient({ name, base: bases.login });
  const metadata = new ApiClient({ name, base: bases.metadata });
  const { tenant_id: tenant, client_id: id, client_secret: secret } = config;
  const token = new KeptToken(async () => {
    const answer =
      tenant && id && secret
        ? await login.json(tokenSchema, {
            method: "POST",
            path: `${pathOf(tenant)}/oauth2/v2.0/token`,
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: new URLSearchParams({
              grant_type: "client_credentials",
              client_id: id,
              client_secret: secret,
              scope: `${resource}.default`,
            }).toString(),
          })
        : await metadata.json(tokenSchema, {
            method: "GET",
            path: "/metadata/identity/oauth2/token",
            query: { "api-version": identityApiVersion, resource, ...(id ? { client_id: id } : {}) },
            headers: { metadata: "true" },
          });
    return { token: answer.access_token, endsAtMs: Date.now() + answer.expires_in * 1000 };
  });
  const client = new ApiClient({
    name,
    base: bases.management,
    authorize: async () => ({ authorization: `Bearer ${await token.get()}` }),
    reasonOf: (text) => {
      try {
        const { code, message } = faultSchema.parse(JSON.parse(text)).error;
        return `${message} (${code})`;
      } catch {
        return undefined;
      }
    },
  });
  const zonesPath = `${pathOf("subscriptions", config.subscription_id, "resourceGroups", config.resource_group_name)}/providers/Microsoft.Network/dnsZones`;
  const query = { "api-version": apiVersion };

  /** Reads the values of a name, and writes what `edited` makes of them, unless they changed meanwhile. */
  const edit = async (
    zone: string,
    { label, type }: DnsRecord,
    ttlSeconds: number | undefined,
    edited: (texts: readonly string[]) => readonly string[],
  ) => {
    const path = `${zonesPath}${pathOf(zone, type, label || "@")}`;
    for (let conflicts = 0; ; conflicts++) {
      const found = await client.find(setSchema, { method: "GET", path, query });
      const now = valuesOf(type, found?.properties ?? {});
      const next = edited(now);
      if (next.join("\n") === now.join("\n")) {
        return;
      }
      const TTL = ttlSeconds ?? found?.properties.TTL;
      const { status } = await client.ask(
        {
          method: next.length === 0 ? "DELETE" : "PUT",
          path,
          query,
          headers: found === undefined ? { "if-none-match": "*" } : { "if-match": found.etag },
          ...(next.length === 0 ? {} : { body: { properties: { TTL, ...propertiesOf(type, next) } } }),
        },
        [preconditionFailed],
      );
      if (status !== preconditionFailed) {
        return;
      }
      if (conflicts >= maxConflicts) {
        throw new ServerError("ACME", `${name}: ${path}: others change these records all the time`);
      }
    }
  };

  return {
    name,
    zone: async (zone) =>
      (
        await client.find(z.object({ name: z.string() }), {
          method: "GET",
          path: `${zonesPath}${pathOf(zone)}`,
          query,
        })
      )?.name,
    add: (zone, record) =>
      edit(zone, record, record.ttlSeconds, (values) =>
        values.includes(record.value) ? values : [...values, record.value],
      ),
    remove: (zone, record) =>
      edit(zone, record, undefined, (values) => values.filter((value) => value !== record.value)),
    async close() {
      await Promise.all([client.close(), login.close(), metadata.close()]);
    },
  };
}

export const azureProvider = defineModule({
  id: "dns.providers.azure",
  config: configSchema,
  provision: (config) => zoneProvider(azureApi(filled(config, ["subscription_id", "resource_group_name"]))),
});
