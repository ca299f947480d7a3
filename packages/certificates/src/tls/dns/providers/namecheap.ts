import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { readXml, type XmlElement } from "../api/read-xml.ts";
import { type DnsRecord, isSameValue, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 60;
const pageSize = 100;
const maxPages = 100;

const configSchema = z.strictObject({
  api_key: filledText("API key of the account."),
  user: filledText("Name of the account."),
  api_endpoint: filledText("Where the API is (https://api.namecheap.com/xml.response).").nullish(),
  client_ip: filledText(
    "Public IPv4 address of this machine, which the account must allow (asked of icanhazip.com).",
  ).nullish(),
});

type NamecheapConfig = z.infer<typeof configSchema>;

/** A record of a domain, in the words of the API's parameters. */
interface Host {
  readonly HostName: string;
  readonly RecordType: string;
  readonly Address: string;
  readonly MXPref: string;
  readonly TTL: string;
}

function hostOf(element: XmlElement): Host {
  return {
    HostName: element.attribute("Name"),
    RecordType: element.attribute("Type"),
    Address: element.attribute("Address"),
    MXPref: element.attribute("MXPref"),
    TTL: element.attribute("TTL"),
  };
}

const name = "namecheap";

/** Runs commands of the API for one account. */
class NamecheapClient {
  readonly #config: NamecheapConfig;
  readonly #client: ApiClient;
  /** Client of a service that returns the public address of this machine. */
  readonly #finder: ApiClient;
  #clientIp: string | undefined;

  constructor(config: NamecheapConfig, discovery: string) {
    this.#config = config;
    this.#client = new ApiClient({
      name,
      base: config.api_endpoint || "https://api.namecheap.com/xml.response",
    });
    this.#finder = new ApiClient({ name, base: discovery });
    this.#clientIp = config.client_ip || undefined;
  }

  /**
   * @param what name of the command, without its prefix `namecheap.`
   * @throws ServerError ACME with the faults in the response
   */
  async command(what: string, parameters: Readonly<Record<string, string>>): Promise<XmlElement> {
    this.#clientIp ??= (await this.#finder.ask({ method: "GET", path: "/" })).text.trim();
    const form = new URLSearchParams({
      ApiUser: this.#config.user,
      ApiKey: this.#config.api_key,
      UserName: this.#config.user,
      ClientIp: this.#clientIp,
      Command: `namecheap.${what}`,
      ...parameters,
    });
    const call = {
      method: "POST",
      path: "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    } as const;
    const answer = await readXml((await this.#client.ask(call)).text);
    if (answer.attribute("Status") !== "OK") {
      const faults = answer.all("Error").map((each) => `${each.ownText} (${each.attribute("Number")})`);
      throw new ServerError("ACME", `${name}: ${what}: ${faults.join("; ") || "refused"}`);
    }
    return answer;
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#finder.close();
  }
}

function domainParts(zone: string): { SLD: string; TLD: string } {
  const dot = zone.indexOf(".");
  return { SLD: zone.slice(0, dot), TLD: zone.slice(dot + 1) };
}

/**
 * Changes the list of all records of a domain, which the API can only replace as a whole.
 * @param edited gets the records, and returns the new list, or undefined for no change
 */
async function editHosts(
  client: NamecheapClient,
  zone: string,
  edited: (hosts: readonly Host[]) => readonly Host[] | undefined,
): Promise<void> {
  const answer = await client.command("domains.dns.getHosts", domainParts(zone));
  const [found] = answer.all("DomainDNSGetHostsResult");
  if (found === undefined || found.attribute("IsUsingOurDNS") !== "true") {
    throw new ServerError("ACME", `${name}: ${zone} does not use the DNS servers of this provider`);
  }
  const hosts = edited([...found.all("host"), ...found.all("Host")].map(hostOf));
  if (hosts === undefined) {
    return;
  }
  const parameters: Record<string, string> = {
    ...domainParts(zone),
    EmailType: found.attribute("EmailType"),
  };
  for (const [index, host] of hosts.entries()) {
    for (const [key, value] of Object.entries(host)) {
      parameters[`${key}${index + 1}`] = value;
    }
  }
  const [done] = (await client.command("domains.dns.setHosts", parameters)).all("DomainDNSSetHostsResult");
  if (done?.attribute("IsSuccess") !== "true") {
    throw new ServerError("ACME", `${name}: ${zone}: the records were not set`);
  }
}

/** @returns a function that is true for a host with the record's name, type and value */
function isHostOf(record: DnsRecord): (host: Host) => boolean {
  return ({ HostName, RecordType, Address }) =>
    HostName === (record.label || "@") && RecordType === record.type && isSameValue(record, Address);
}

/** Source: https://www.namecheap.com/support/api/methods/domains-dns/ */
export function namecheapApi(config: NamecheapConfig, discovery = "https://icanhazip.com"): ZoneApi<string> {
  const client = new NamecheapClient(config, discovery);
  return {
    name,
    async zone(zone) {
      const search = { SearchTerm: zone, PageSize: String(pageSize) };
      for (let page = 1; page <= maxPages; page++) {
        const answer = await client.command("domains.getList", { ...search, Page: String(page) });
        const domains = answer.all("Domain");
        if (domains.some((domain) => domain.attribute("Name").toLowerCase() === zone)) {
          return zone;
        }
        if (domains.length < pageSize) {
          break;
        }
      }
      return undefined;
    },
    add: (zone, record) =>
      editHosts(client, zone, (hosts) => {
        const host: Host = {
          HostName: record.label || "@",
          RecordType: record.type,
          Address: record.value,
          MXPref: "10",
          TTL: String(Math.max(minTtlSeconds, record.ttlSeconds)),
        };
        return hosts.some(isHostOf(record)) ? undefined : [...hosts, host];
      }),
    remove: (zone, record) =>
      editHosts(client, zone, (hosts) => {
        const isRemoved = isHostOf(record);
        const rest = hosts.filter((each) => !isRemoved(each));
        return rest.length === hosts.length ? undefined : rest;
      }),
    close: () => client.close(),
  };
}

export const namecheapProvider = defineModule({
  id: "dns.providers.namecheap",
  config: configSchema,
  provision: (config) => zoneProvider(namecheapApi(filled(config, ["api_key", "user"]))),
});
