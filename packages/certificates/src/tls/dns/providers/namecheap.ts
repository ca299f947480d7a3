import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient } from "../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { readXml, type XmlElement } from "../api/read-xml.ts";
import { isSameValue, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";

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

/**
 * The API only replaces all records of a domain at once: each change reads them all before, and sends them all back.
 * Source: https://www.namecheap.com/support/api/methods/domains-dns/
 */
export function namecheapApi(
  config: z.infer<typeof configSchema>,
  discovery = "https://icanhazip.com",
): ZoneApi<string> {
  const name = "namecheap";
  const client = new ApiClient({
    name,
    base: config.api_endpoint || "https://api.namecheap.com/xml.response",
  });
  const finder = new ApiClient({ name, base: discovery });
  let clientIp: string | undefined = config.client_ip || undefined;

  const command = async (what: string, parameters: Readonly<Record<string, string>>): Promise<XmlElement> => {
    clientIp ??= (await finder.ask({ method: "GET", path: "/" })).text.trim();
    const form = new URLSearchParams({
      ApiUser: config.user,
      ApiKey: config.api_key,
      UserName: config.user,
      ClientIp: clientIp,
      Command: `namecheap.${what}`,
      ...parameters,
    });
    const call = {
      method: "POST",
      path: "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    } as const;
    const answer = await readXml((await client.ask(call)).text);
    if (answer.attribute("Status") !== "OK") {
      const faults = answer.all("Error").map((each) => `${each.ownText} (${each.attribute("Number")})`);
      throw new ServerError("ACME", `${name}: ${what}: ${faults.join("; ") || "refused"}`);
    }
    return answer;
  };

  const domainParts = (zone: string) => {
    const dot = zone.indexOf(".");
    return { SLD: zone.slice(0, dot), TLD: zone.slice(dot + 1) };
  };

  /** Changes the list of all records. @param edit undefined: nothing to change */
  const edit = async (zone: string, edited: (hosts: readonly Host[]) => readonly Host[] | undefined) => {
    const [found] = (await command("domains.dns.getHosts", domainParts(zone))).all("DomainDNSGetHostsResult");
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
    const [done] = (await command("domains.dns.setHosts", parameters)).all("DomainDNSSetHostsResult");
    if (done?.attribute("IsSuccess") !== "true") {
      throw new ServerError("ACME", `${name}: ${zone}: the records were not set`);
    }
  };

  return {
    name,
    async zone(zone) {
      const search = { SearchTerm: zone, PageSize: String(pageSize) };
      for (let page = 1; page <= maxPages; page++) {
        const answer = await command("domains.getList", { ...search, Page: String(page) });
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
      edit(zone, (hosts) => {
        const host: Host = {
          HostName: record.label || "@",
          RecordType: record.type,
          Address: record.value,
          MXPref: "10",
          TTL: String(Math.max(minTtlSeconds, record.ttlSeconds)),
        };
        const isThere = hosts.some(
          (each) =>
            each.HostName === host.HostName &&
            each.RecordType === host.RecordType &&
            isSameValue(record, each.Address),
        );
        return isThere ? undefined : [...hosts, host];
      }),
    remove: (zone, record) =>
      edit(zone, (hosts) => {
        const rest = hosts.filter(
          (each) =>
            each.HostName !== (record.label || "@") ||
            each.RecordType !== record.type ||
            !isSameValue(record, each.Address),
        );
        return rest.length === hosts.length ? undefined : rest;
      }),
    async close() {
      await client.close();
      await finder.close();
    },
  };
}

export const namecheapProvider = defineModule({
  id: "dns.providers.namecheap",
  config: configSchema,
  provision: (config) => zoneProvider(namecheapApi(filled(config, ["api_key", "user"]))),
});
