import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { KeptToken } from "../api/access-token.ts";
import { filled, filledText } from "../api/filled-text.ts";
import {
  type DnsRecord,
  type RecordSet,
  recordSetChanges,
  type ZoneApi,
  zoneProvider,
} from "../api/zone-provider.ts";
import type { DnsRecordType } from "../dns-provider.ts";

const apiVersion = "2018-05-01";
const identityApiVersion = "2018-02-01";
const resource = "https://management.azure.com/";
const preconditionFailed = 412;
const query = { "api-version": apiVersion };

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

/** Reads the values of a set of records in Azure's form. */
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

/** A set of records with these values, in Azure's form. */
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

const configSchema = z.strictObject({
  subscription_id: filledText("Subscription that has the zones."),
  resource_group_name: filledText("Resource group that has the zones."),
  tenant_id: filledText("Directory of the application; absent with a managed identity.").nullish(),
  client_id: filledText("The application, or the managed identity where the machine has several.").nullish(),
  client_secret: filledText("Secret of the application; absent with a managed identity.").nullish(),
});

type AzureConfig = z.infer<typeof configSchema>;

/** Base URLs of the provider's services. */
interface AzureBases {
  readonly management: string;
  readonly login: string;
  /** URL of Azure's metadata service, which gives a machine in Azure tokens for its own identity. */
  readonly metadata: string;
}

const realBases: AzureBases = {
  management: "https://management.azure.com",
  login: "https://login.microsoftonline.com",
  metadata: "http://169.254.169.254",
};

const name = "azure";

/** Gets tokens for calls, either for the application in the config or for the identity of this machine. */
class AzureLogin {
  readonly #config: AzureConfig;
  readonly #login: ApiClient;
  readonly #metadata: ApiClient;
  readonly #kept = new KeptToken(async () => {
    const answer = await this.#ask();
    return { token: answer.access_token, endsAtMs: Date.now() + answer.expires_in * 1000 };
  });

  constructor(config: AzureConfig, bases: AzureBases) {
    this.#config = config;
    this.#login = new ApiClient({ name, base: bases.login });
    this.#metadata = new ApiClient({ name, base: bases.metadata });
  }

  /** The cached token, or a new token when the cached one expires soon. */
  token(): Promise<string> {
    return this.#kept.get();
  }

  #ask(): Promise<z.infer<typeof tokenSchema>> {
    const { tenant_id: tenant, client_id: id, client_secret: secret } = this.#config;
    if (tenant && id && secret) {
      return this.#login.json(tokenSchema, {
        method: "POST",
        path: `${pathOf(tenant)}/oauth2/v2.0/token`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({
          grant_type: "client_credentials",
          client_id: id,
          client_secret: secret,
          scope: `${resource}.default`,
        }).toString(),
      });
    }
    return this.#metadata.json(tokenSchema, {
      method: "GET",
      path: "/metadata/identity/oauth2/token",
      query: { "api-version": identityApiVersion, resource, ...(id ? { client_id: id } : {}) },
      headers: { metadata: "true" },
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#login.close(), this.#metadata.close()]);
  }
}

/** A set as it was read; a change names its tag, so that it fails when another program has changed the set. */
interface TaggedSet extends RecordSet {
  readonly etag?: string;
}

/** Source: https://learn.microsoft.com/en-us/rest/api/dns/record-sets */
export function azureApi(config: AzureConfig, bases = realBases): ZoneApi<string> {
  const login = new AzureLogin(config, bases);
  const client = new ApiClient({
    name,
    base: bases.management,
    authorize: async () => ({ authorization: `Bearer ${await login.token()}` }),
  });
  const zonesPath = `${pathOf("subscriptions", config.subscription_id, "resourceGroups", config.resource_group_name)}/providers/Microsoft.Network/dnsZones`;
  const pathOfSet = (zone: string, { label, type }: DnsRecord) =>
    `${zonesPath}${pathOf(zone, type, label || "@")}`;
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
    ...recordSetChanges<string>({
      async read(zone, record): Promise<TaggedSet | undefined> {
        const found = await client.find(setSchema, { method: "GET", path: pathOfSet(zone, record), query });
        return (
          found && {
            values: valuesOf(record.type, found.properties),
            ttlSeconds: found.properties.TTL,
            etag: found.etag,
          }
        );
      },
      async write(zone, record, { values, ttlSeconds: TTL }, before: TaggedSet | undefined) {
        const path = pathOfSet(zone, record);
        const headers = before?.etag === undefined ? { "if-none-match": "*" } : { "if-match": before.etag };
        const body = { properties: { TTL, ...propertiesOf(record.type, values) } };
        const change =
          values.length === 0 ? ({ method: "DELETE" } as const) : ({ method: "PUT", body } as const);
        const { status } = await client.ask({ ...change, path, query, headers }, [preconditionFailed]);
        return status === preconditionFailed ? `${name}: ${path}` : undefined;
      },
      written: ({ value }) => value,
    }),
    async close() {
      await Promise.all([client.close(), login.close()]);
    },
  };
}

export const azureProvider = defineModule({
  id: "dns.providers.azure",
  config: configSchema,
  provision: (config) => zoneProvider(azureApi(filled(config, ["subscription_id", "resource_group_name"]))),
});
