import { importPKCS8, SignJWT } from "jose";
import { ServerError } from "server-core/errors";
import { readRegularFileSync } from "server-core/files/read-regular-file";
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

const scope = "https://www.googleapis.com/auth/ndev.clouddns.readwrite";
const maxFileBytes = 1024 * 1024;
const assertionSeconds = 3_600;
/** Statuses of a change whose old values are no longer there. */
const conflicts = [409, 412];

const tokenSchema = z.object({ access_token: z.string(), expires_in: z.number() });
const keySchema = z.object({
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string().optional(),
  token_uri: z.url().default("https://oauth2.googleapis.com/token"),
});
const zonesSchema = z.object({
  managedZones: z
    .array(z.object({ name: z.string(), dnsName: z.string(), visibility: z.string().optional() }))
    .default([]),
});
const setSchema = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  rrdatas: z.array(z.string()),
});
const setsSchema = z.object({ rrsets: z.array(setSchema).default([]) });

const configSchema = z.strictObject({
  gcp_project: filledText("Project that has the zones."),
  gcp_application_default: filledText(
    "Path of a service account's key as JSON (the variable GOOGLE_APPLICATION_CREDENTIALS, else the machine's own account).",
  ).nullish(),
});

type GoogleConfig = z.infer<typeof configSchema>;

/** Base URLs of the provider's services. */
interface GoogleBases {
  readonly dns: string;
  /** URL of Google's metadata service, which gives a machine in Google's cloud tokens for its own account. */
  readonly metadata: string;
}

const realBases: GoogleBases = {
  dns: "https://dns.googleapis.com/dns/v1",
  metadata: "http://metadata.google.internal",
};

function readKey(path: string) {
  try {
    return keySchema.parse(JSON.parse(readRegularFileSync(path, maxFileBytes).toString()));
  } catch (error) {
    throw new ServerError("MODULE_CONFIG", `${path} is no key of a service account`, { cause: error });
  }
}

const name = "googleclouddns";

/** Gets tokens for calls, either for the service account of the key or for this machine's own account. */
class GoogleLogin {
  readonly #key: z.infer<typeof keySchema> | undefined;
  readonly #accounts: ApiClient;
  readonly #metadata: ApiClient;
  readonly #kept = new KeptToken(async () => {
    const key = this.#key;
    const answer = key === undefined ? await this.#ofMachine() : await this.#ofServiceAccount(key);
    return { token: answer.access_token, endsAtMs: Date.now() + answer.expires_in * 1000 };
  });

  /** @throws ServerError MODULE_CONFIG when the key file is invalid */
  constructor(config: GoogleConfig, metadataBase: string) {
    const keyFile = config.gcp_application_default || process.env.GOOGLE_APPLICATION_CREDENTIALS;
    this.#key = keyFile ? readKey(keyFile) : undefined;
    this.#accounts = new ApiClient({ name, base: this.#key?.token_uri ?? "" });
    this.#metadata = new ApiClient({ name, base: metadataBase });
  }

  /** The cached token, or a new token when the cached one expires soon. */
  token(): Promise<string> {
    return this.#kept.get();
  }

  #ofMachine(): Promise<z.infer<typeof tokenSchema>> {
    return this.#metadata.json(tokenSchema, {
      method: "GET",
      path: "/computeMetadata/v1/instance/service-accounts/default/token",
      headers: { "metadata-flavor": "Google" },
    });
  }

  async #ofServiceAccount(account: z.infer<typeof keySchema>): Promise<z.infer<typeof tokenSchema>> {
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({
        alg: "RS256",
        typ: "JWT",
        ...(account.private_key_id ? { kid: account.private_key_id } : {}),
      })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt()
      .setExpirationTime(`${assertionSeconds}s`)
      .sign(await importPKCS8(account.private_key, "RS256"));
    return await this.#accounts.json(tokenSchema, {
      method: "POST",
      path: "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion,
      }).toString(),
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#accounts.close(), this.#metadata.close()]);
  }
}

/** Source: https://cloud.google.com/dns/docs/reference/rest/v1 */
export function googleclouddnsApi(config: GoogleConfig, bases = realBases): ZoneApi<string> {
  const login = new GoogleLogin(config, bases.metadata);
  const client = new ApiClient({
    name,
    base: bases.dns,
    authorize: async () => ({ authorization: `Bearer ${await login.token()}` }),
  });
  const zonesPath = `${pathOf("projects", config.gcp_project)}/managedZones`;
  const keyOf = ({ name: full, type }: DnsRecord) => ({ name: `${full}.`, type });
  return {
    name,
    async zone(zone) {
      const query = { dnsName: `${zone}.` };
      const { managedZones } = await client.json(zonesSchema, { method: "GET", path: zonesPath, query });
      return managedZones.find(
        ({ dnsName, visibility }) => dnsName === `${zone}.` && visibility !== "private",
      )?.name;
    },
    ...recordSetChanges<string>({
      async read(zone, record) {
        const path = `${zonesPath}${pathOf(zone)}/rrsets`;
        const { rrsets } = await client.json(setsSchema, { method: "GET", path, query: keyOf(record) });
        return rrsets.map(({ rrdatas, ttl }) => ({ values: rrdatas, ttlSeconds: ttl }))[0];
      },
      // The request names the old values that it deletes, and fails when these values have changed meanwhile.
      async write(zone, record, next, before) {
        const setOf = ({ values, ttlSeconds }: RecordSet) => ({
          ...keyOf(record),
          ttl: ttlSeconds,
          rrdatas: values,
        });
        const body = {
          ...(before === undefined ? {} : { deletions: [setOf(before)] }),
          ...(next.values.length === 0 ? {} : { additions: [setOf(next)] }),
        };
        const path = `${zonesPath}${pathOf(zone)}/changes`;
        const { status } = await client.ask({ method: "POST", path, body }, conflicts);
        return conflicts.includes(status) ? `${name}: POST ${path}` : undefined;
      },
    }),
    async close() {
      await Promise.all([client.close(), login.close()]);
    },
  };
}

export const googleclouddnsProvider = defineModule({
  id: "dns.providers.googleclouddns",
  config: configSchema,
  provision: (config) => zoneProvider(googleclouddnsApi(filled(config, ["gcp_project"]))),
});
