import { importPKCS8, SignJWT } from "jose";
import { ServerError } from "server-core/errors";
import { readRegularFileSync } from "server-core/files/read-regular-file";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { KeptToken } from "../api/access-token.ts";
import { ApiClient, pathOf } from "../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import {
  type DnsRecord,
  isSameValue,
  type ZoneApi,
  zoneFileValue,
  zoneProvider,
} from "../api/zone-provider.ts";

const scope = "https://www.googleapis.com/auth/ndev.clouddns.readwrite";
const maxFileBytes = 1024 * 1024;
const assertionSeconds = 3_600;
/** How often a change is refused, because somebody else changed the zone meanwhile, before it fails. */
const maxConflicts = 5;
const conflict = 409;
const preconditionFailed = 412;

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
const faultSchema = z.object({ error: z.object({ message: z.string() }) });

const configSchema = z.strictObject({
  gcp_project: filledText("Project that has the zones."),
  gcp_application_default: filledText(
    "Path of a service account's key as JSON (the variable GOOGLE_APPLICATION_CREDENTIALS, else the machine's own account).",
  ).nullish(),
});

/** Where the provider's parts answer. */
interface GoogleBases {
  readonly dns: string;
  /** The service that knows this machine's own identity, where it runs there. */
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

/** Source: https://cloud.google.com/dns/docs/reference/rest/v1 */
export function googleclouddnsApi(config: z.infer<typeof configSchema>, bases = realBases): ZoneApi<string> {
  const name = "googleclouddns";
  const metadata = new ApiClient({ name, base: bases.metadata });
  const keyFile = config.gcp_application_default || process.env.GOOGLE_APPLICATION_CREDENTIALS;
  const key = keyFile ? readKey(keyFile) : undefined;
  const tokens = new ApiClient({ name, base: key?.token_uri ?? "" });
  const token = new KeptToken(async () => {
    const answer = key === undefined ? await ofMachine() : await ofServiceAccount(key);
    return { token: answer.access_token, endsAtMs: Date.now() + answer.expires_in * 1000 };
  });
  const ofMachine = () =>
    metadata.json(tokenSchema, {
      method: "GET",
      path: "/computeMetadata/v1/instance/service-accounts/default/token",
      headers: { "metadata-flavor": "Google" },
    });
  const ofServiceAccount = async (account: z.infer<typeof keySchema>) => {
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
    return await tokens.json(tokenSchema, {
      method: "POST",
      path: "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion,
      }).toString(),
    });
  };
  const client = new ApiClient({
    name,
    base: bases.dns,
    authorize: async () => ({ authorization: `Bearer ${await token.get()}` }),
    reasonOf: (text) => {
      try {
        return faultSchema.parse(JSON.parse(text)).error.message;
      } catch {
        return undefined;
      }
    },
  });
  const zonesPath = `${pathOf("projects", config.gcp_project)}/managedZones`;

  /** A change names what it deletes, and fails when that is no longer so: then it is made again. */
  const edit = async (
    zone: string,
    { name: full, type }: DnsRecord,
    ttlSeconds: number | undefined,
    edited: (values: readonly string[]) => readonly string[],
  ) => {
    const path = `${zonesPath}${pathOf(zone)}`;
    for (let conflicts = 0; ; conflicts++) {
      const query = { name: `${full}.`, type };
      const { rrsets } = await client.json(setsSchema, { method: "GET", path: `${path}/rrsets`, query });
      const [found] = rrsets;
      const values = edited(found?.rrdatas ?? []);
      if (values.length === (found?.rrdatas.length ?? 0)) {
        return;
      }
      const set = { name: `${full}.`, type, ttl: ttlSeconds ?? found?.ttl, rrdatas: values };
      const body = {
        ...(found === undefined ? {} : { deletions: [found] }),
        ...(values.length === 0 ? {} : { additions: [set] }),
      };
      const call = { method: "POST", path: `${path}/changes`, body } as const;
      const { status } = await client.ask(call, [conflict, preconditionFailed]);
      if (status !== conflict && status !== preconditionFailed) {
        return;
      }
      if (conflicts >= maxConflicts) {
        throw client.error(call, "others change these records all the time");
      }
    }
  };

  return {
    name,
    async zone(zone) {
      const query = { dnsName: `${zone}.` };
      const { managedZones } = await client.json(zonesSchema, { method: "GET", path: zonesPath, query });
      return managedZones.find(
        ({ dnsName, visibility }) => dnsName === `${zone}.` && visibility !== "private",
      )?.name;
    },
    add: (zone, record) =>
      edit(zone, record, record.ttlSeconds, (values) =>
        values.some((value) => isSameValue(record, value)) ? values : [...values, zoneFileValue(record)],
      ),
    remove: (zone, record) =>
      edit(zone, record, undefined, (values) => values.filter((value) => !isSameValue(record, value))),
    async close() {
      await Promise.all([client.close(), tokens.close(), metadata.close()]);
    },
  };
}

export const googleclouddnsProvider = defineModule({
  id: "dns.providers.googleclouddns",
  config: configSchema,
  provision: (config) => zoneProvider(googleclouddnsApi(filled(config, ["gcp_project"]))),
});
