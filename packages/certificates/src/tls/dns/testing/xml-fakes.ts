// Fakes of providers that answer in XML. Each follows the provider's public document.

import { labelOf } from "./fake-api.ts";
import { type Fake, secret } from "./record-fakes.ts";

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const plainXml = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

/** https://docs.aws.amazon.com/Route53/latest/APIReference/; a list begins at the requested name */
export const route53Fake: Fake = ({ method, parts, query, text, headers }, zone) => {
  const authorization = String(headers.authorization);
  if (!authorization.startsWith("AWS4-HMAC-SHA256 Credential=AKID/") || !headers["x-amz-date"]) {
    return {
      status: 403,
      body: "<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>The security token included in the request is invalid.</Message></Error></ErrorResponse>",
    };
  }
  const [, what, id, sub] = parts;
  if (what === "hostedzonesbyname") {
    const zones = ["true", "false"].map(
      (isPrivate, index) =>
        `<HostedZone><Id>/hostedzone/Z${index}</Id><Name>${zone.name}.</Name><Config><PrivateZone>${isPrivate}</PrivateZone></Config></HostedZone>`,
    );
    return {
      body: `<?xml version="1.0"?>\n<ListHostedZonesByNameResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><HostedZones>${zones.join("")}</HostedZones></ListHostedZonesByNameResponse>`,
    };
  }
  if (what === "change") {
    return {
      body: `<GetChangeResponse><ChangeInfo><Id>/change/${id}</Id><Status>INSYNC</Status></ChangeInfo></GetChangeResponse>`,
    };
  }
  if (id !== "Z1" || sub !== "rrset") {
    return {
      status: 404,
      body: "<ErrorResponse><Error><Message>No hosted zone found</Message></Error></ErrorResponse>",
    };
  }
  if (method === "GET") {
    const [label, type] = [labelOf(query.get("name") ?? ""), query.get("type") ?? ""];
    const found = zone.of(label, type);
    const name = found.length === 0 ? `zzz.${zone.name}` : `${label}.${zone.name}`;
    const values = found.map(
      ({ value }) => `<ResourceRecord><Value>${escapeXml(value)}</Value></ResourceRecord>`,
    );
    return {
      body: `<ListResourceRecordSetsResponse><ResourceRecordSets><ResourceRecordSet><Name>${name}.</Name><Type>${type}</Type><TTL>${found[0]?.ttl ?? 1}</TTL><ResourceRecords>${values.join("")}</ResourceRecords></ResourceRecordSet></ResourceRecordSets></ListResourceRecordSetsResponse>`,
    };
  }
  const one = (name: string) => plainXml(new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "");
  const values = [...text.matchAll(/<Value>([^<]*)<\/Value>/g)].map(([, value = ""]) => plainXml(value));
  const label = labelOf(one("Name"));
  if (!values.every((value) => /^".*"$|\.$/.test(value))) {
    return {
      status: 400,
      body: "<ErrorResponse><Error><Message>InvalidCharacterString</Message></Error></ErrorResponse>",
    };
  }
  zone.set(label, one("Type"), one("Action") === "DELETE" ? [] : values, Number(one("TTL")));
  return {
    body: "<ChangeResourceRecordSetsResponse><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status></ChangeInfo></ChangeResourceRecordSetsResponse>",
  };
};

/** https://www.namecheap.com/support/api/methods/domains-dns/; the domain has mail records, which must stay */
export const namecheapFake: Fake = ({ text, method, parts }, zone) => {
  if (method === "GET") {
    return { body: "203.0.113.7\n" };
  }
  const form = new URLSearchParams(text);
  const answer = (body: string, status = "OK") => ({
    body: `<?xml version="1.0" encoding="utf-8"?><ApiResponse Status="${status}" xmlns="http://api.namecheap.com/xml.response"><Errors>${status === "OK" ? "" : body}</Errors><CommandResponse>${status === "OK" ? body : ""}</CommandResponse></ApiResponse>`,
  });
  if (form.get("ApiKey") !== secret || form.get("ClientIp") !== "203.0.113.7" || parts.length > 1) {
    return answer(
      '<Error Number="1011102">API Key is invalid or API access has not been enabled</Error>',
      "ERROR",
    );
  }
  const command = form.get("Command");
  if (command === "namecheap.domains.getList") {
    return answer(
      `<DomainGetListResult><Domain ID="1" Name="not${zone.name}" /><Domain ID="2" Name="${zone.name}" /></DomainGetListResult>`,
    );
  }
  if (`${form.get("SLD")}.${form.get("TLD")}` !== zone.name) {
    return answer('<Error Number="2019166">Domain not found</Error>', "ERROR");
  }
  if (command === "namecheap.domains.dns.getHosts") {
    const hosts = zone.records.map(
      ({ id, label, type, value, ttl }) =>
        `<host HostId="${id}" Name="${label || "@"}" Type="${type}" Address="${escapeXml(value)}" MXPref="10" TTL="${ttl}" />`,
    );
    return answer(
      `<DomainDNSGetHostsResult Domain="${zone.name}" EmailType="MX" IsUsingOurDNS="true">${hosts.join("")}</DomainDNSGetHostsResult>`,
    );
  }
  if (form.get("EmailType") !== "MX") {
    return answer('<Error Number="1">the mail of the domain would end</Error>', "ERROR");
  }
  zone.records = [];
  for (let index = 1; form.has(`HostName${index}`); index++) {
    const of = (name: string) => form.get(`${name}${index}`) ?? "";
    zone.add(labelOf(of("HostName")), of("RecordType"), of("Address"), Number(of("TTL")));
  }
  return answer(`<DomainDNSSetHostsResult Domain="${zone.name}" IsSuccess="true" />`);
};
