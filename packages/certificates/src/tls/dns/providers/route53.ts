import { setTimeout as wait } from "node:timers/promises";
import { ServerError } from "server-core/errors";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient, pathOf } from "../../api/api-client.ts";
import { type CredentialPlaces, findCredentials, realPlaces } from "../../aws/find-credentials.ts";
import { type AwsCredentials, signedHeaders } from "../../aws/sign-request.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { readXml, type XmlElement } from "../api/read-xml.ts";
import {
  type DnsRecord,
  type RecordSet,
  recordSetChanges,
  type ZoneApi,
  zoneProvider,
} from "../api/zone-provider.ts";

const version = "/2013-04-01";
/**
 * The service is global, but its signatures contain a region: this one, unless the config or AWS_REGION sets another.
 */
const defaultRegion = "us-east-1";
const defaultMaxWaitMs = 60_000;
const pollMs = 2_000;
/** Time in milliseconds before their expiry from which credentials are searched for again. */
const marginMs = 5 * 60_000;

const configSchema = z.strictObject({
  region: filledText("Region that signatures name (the variable AWS_REGION, else us-east-1).").nullish(),
  profile: filledText("Profile of AWS's files whose credentials count.").nullish(),
  access_key_id: filledText(
    "Access key (that of the environment, of a profile, of the container's or the machine's role).",
  ).nullish(),
  secret_access_key: filledText("Secret of the access key.").nullish(),
  session_token: filledText("Token of temporary credentials.").nullish(),
  max_retries: z
    .int()
    .min(0)
    .nullish()
    .describe("Taken for the public model's sake: a busy API is asked four times."),
  route53_max_wait: configDuration().nullish().describe("How long a change may take to be in sync (1m)."),
  wait_for_route53_sync: z
    .boolean()
    .nullish()
    .describe("Waits until all servers of the provider have a new record (false)."),
  skip_route53_sync_on_delete: z
    .boolean()
    .nullish()
    .describe("Does not wait where a record was removed (false; true from a serverfile)."),
  hosted_zone_id: filledText("Zone to use, in place of the one that is found by name.").nullish(),
  debug_logging: z.boolean().nullish().describe("Taken for the public model's sake; changes nothing."),
});

type Config = z.infer<typeof configSchema>;

/** Base URL of the provider, and sources of credentials. */
interface Route53Places extends CredentialPlaces {
  readonly api: string;
}

const xmlEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (char) => xmlEscapes[char] ?? "");

/** The provider writes some characters of names as `\052`. */
const plainName = (name: string) =>
  name
    .replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\.$/, "");

function reasonIn(text: string): string | undefined {
  return /<Message>([^<]*)<\/Message>/.exec(text)?.[1];
}

/** One change of a set of records, whose values are in the form of a zone file. */
interface RecordChange extends RecordSet {
  /** `UPSERT` replaces the set with the same name and type; `DELETE` must repeat the existing set exactly. */
  readonly action: "UPSERT" | "DELETE";
  /** True: the change is done only when all servers of the provider know it. */
  readonly isAwaited: boolean;
}

const name = "route53";

/** Reads and changes sets of records, with signed calls. */
class Route53Client {
  readonly #config: Config;
  readonly #places: Route53Places;
  readonly #pauseMs: number;
  readonly #region: string;
  readonly #client: ApiClient;
  /** Credentials of the config, or the credentials that were found last. */
  #credentials: AwsCredentials | undefined;

  constructor(config: Config, places: Route53Places, pauseMs: number) {
    this.#config = config;
    this.#places = places;
    this.#pauseMs = pauseMs;
    this.#region = config.region || places.environment.AWS_REGION || defaultRegion;
    if (config.access_key_id && config.secret_access_key) {
      this.#credentials = {
        accessKeyId: config.access_key_id,
        secretAccessKey: config.secret_access_key,
        sessionToken: config.session_token || undefined,
      };
    }
    this.#client = new ApiClient({
      name,
      base: places.api,
      authorize: async ({ method }, url, body = "") =>
        signedHeaders(
          { method, url, body, region: this.#region, service: "route53" },
          await this.#validCredentials(),
        ),
      reasonOf: reasonIn,
    });
  }

  async #validCredentials(): Promise<AwsCredentials> {
    if (
      this.#credentials === undefined ||
      Date.now() > (this.#credentials.endsAtMs ?? Number.POSITIVE_INFINITY) - marginMs
    ) {
      this.#credentials = await findCredentials(this.#config.profile || undefined, this.#places);
    }
    return this.#credentials;
  }

  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<XmlElement> {
    return await readXml((await this.#client.ask({ method: "GET", path, query })).text);
  }

  /** @returns values and TTL of a name; undefined when the name has no records of this type */
  async valuesOf(zone: string, { name: full, type }: DnsRecord) {
    const query = { name: `${full}.`, type, maxitems: "1" };
    const answer = await this.get(`${version}${pathOf("hostedzone", zone, "rrset")}`, query);
    const [found] = answer.all("ResourceRecordSet");
    // The list starts at this name, or at the next name if this name has no records.
    return found !== undefined && plainName(found.text("Name") ?? "") === full && found.text("Type") === type
      ? { ttlSeconds: Number(found.text("TTL")), values: found.all("Value").map(({ ownText }) => ownText) }
      : undefined;
  }

  async change(
    zone: string,
    { name: full, type }: DnsRecord,
    { action, ttlSeconds, values, isAwaited }: RecordChange,
  ): Promise<void> {
    const records = values.map(
      (value) => `<ResourceRecord><Value>${escapeXml(value)}</Value></ResourceRecord>`,
    );
    const set = `<Name>${escapeXml(full)}.</Name><Type>${type}</Type><TTL>${ttlSeconds}</TTL><ResourceRecords>${records.join("")}</ResourceRecords>`;
    const answer = await this.#client.ask({
      method: "POST",
      path: `${version}${pathOf("hostedzone", zone, "rrset")}`,
      headers: { "content-type": "application/xml" },
      body: `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch><Changes><Change><Action>${action}</Action><ResourceRecordSet>${set}</ResourceRecordSet></Change></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`,
    });
    const id = (await readXml(answer.text)).text("Id")?.replace("/change/", "");
    if (isAwaited && id !== undefined) {
      await this.#waitForSync(id);
    }
  }

  /** @throws ServerError ACME when the change has not reached all servers of the provider in time */
  async #waitForSync(change: string): Promise<void> {
    for (const end = Date.now() + (this.#config.route53_max_wait || defaultMaxWaitMs); ; ) {
      if ((await this.get(`${version}${pathOf("change", change)}`)).text("Status") === "INSYNC") {
        return;
      }
      if (Date.now() >= end) {
        throw new ServerError("ACME", `${name}: change ${change} is not in sync in time`);
      }
      await wait(this.#pauseMs);
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Source: https://docs.aws.amazon.com/Route53/latest/APIReference/ */
export function route53Api(
  config: Config,
  places: Route53Places = { ...realPlaces, api: "https://route53.amazonaws.com" },
  pauseMs = pollMs,
): ZoneApi<string> {
  const client = new Route53Client(config, places, pauseMs);
  return {
    name,
    async zone(zone) {
      if (config.hosted_zone_id) {
        return config.hosted_zone_id.replace(/^\/hostedzone\//, "");
      }
      const answer = await client.get(`${version}/hostedzonesbyname`, { dnsname: `${zone}.` });
      return answer
        .all("HostedZone")
        .find((each) => plainName(each.text("Name") ?? "") === zone && each.text("PrivateZone") !== "true")
        ?.text("Id")
        ?.replace("/hostedzone/", "");
    },
    ...recordSetChanges<string>({
      read: (zone, record) => client.valuesOf(zone, record),
      async write(zone, record, next, before) {
        const isRemoval = before !== undefined && next.values.length < before.values.length;
        const isAwaited =
          config.wait_for_route53_sync === true && !(isRemoval && config.skip_route53_sync_on_delete);
        const isLast = isRemoval && next.values.length === 0;
        const change = isLast
          ? ({ action: "DELETE", ...before } as const)
          : ({ action: "UPSERT", ...next } as const);
        await client.change(zone, record, { ...change, isAwaited });
        return undefined;
      },
    }),
    close: () => client.close(),
  };
}

export const route53Provider = defineModule({
  id: "dns.providers.route53",
  config: configSchema,
  provision: (config) => zoneProvider(route53Api(filled(config))),
});
