// Fakes of providers whose API has all values of a name as one set. Each follows the provider's public document.

import { type FakeReply, labelOf } from "./fake-api.ts";
import { type Fake, secret } from "./record-fakes.ts";

const notFound: FakeReply = { status: 404, body: { message: "not found" } };
const quoted = (value: string) => /^".*"$|\.$/.test(value);

/** https://docs.hetzner.cloud/reference/cloud#zones; actions take some time */
export const hetznerFake: Fake = ({ method, parts, query, json, headers }, zone) => {
  if (headers.authorization !== `Bearer ${secret}`) {
    return { status: 401, body: { error: { code: "unauthorized", message: "unable to authenticate" } } };
  }
  const [first, , , label = "", type = "", , action] = parts;
  if (first === "actions") {
    return { body: { action: { id: 1, status: "success", error: null } } };
  }
  if (method === "GET") {
    return { body: { zones: query.get("name") === zone.name ? [{ id: 42, name: zone.name }] : [] } };
  }
  const values: string[] = json.records.map(({ value }: { value: string }) => value);
  if (!values.every(quoted)) {
    return { status: 422, body: { error: { code: "invalid_input", message: "invalid record value" } } };
  }
  for (const value of values) {
    if (action === "add_records") {
      zone.add(labelOf(label), type, value, json.ttl);
    } else {
      zone.delete((each) => each.label === labelOf(label) && each.value === value);
    }
  }
  return { status: 201, body: { action: { id: 1, status: "running", error: null } } };
};

/** https://api.gandi.net/docs/livedns/ */
export const gandiFake: Fake = ({ method, parts, json, headers }, zone) => {
  if (headers.authorization !== `Bearer ${secret}`) {
    return { status: 403, body: { code: 403, message: "Access was denied to this resource." } };
  }
  const [, domain, records, label = "", type = ""] = parts;
  if (domain !== zone.name) {
    return notFound;
  }
  if (records === undefined) {
    return { body: { fqdn: zone.name } };
  }
  const found = zone.of(labelOf(label), type);
  if (method === "GET") {
    return found.length === 0
      ? notFound
      : { body: { rrset_values: found.map(({ value }) => value), rrset_ttl: found[0]?.ttl } };
  }
  zone.set(
    labelOf(label),
    type,
    method === "DELETE" ? [] : json.rrset_values,
    json?.rrset_ttl ?? found[0]?.ttl,
  );
  return { status: method === "DELETE" ? 204 : 201 };
};

/** https://developer.godaddy.com/doc/endpoint/domains */
export const godaddyFake: Fake = ({ method, parts, json, headers }, zone) => {
  if (headers.authorization !== `sso-key key:${secret}`) {
    return { status: 401, body: { code: "UNABLE_TO_AUTHENTICATE", message: "Unauthorized" } };
  }
  const [, domain, records, type = "", label = ""] = parts;
  if (domain !== zone.name) {
    return { status: 404, body: { code: "NOT_FOUND", message: "The given domain is not registered" } };
  }
  if (records === undefined) {
    return { body: { domain: zone.name } };
  }
  const found = zone.of(labelOf(label), type);
  if (method === "GET") {
    return { body: found.map(({ value, ttl }) => ({ data: value, name: label, ttl, type })) };
  }
  if (method === "PATCH") {
    for (const each of json) {
      zone.add(labelOf(each.name), each.type, each.data, each.ttl);
    }
    return {};
  }
  const values = method === "DELETE" ? [] : json.map(({ data }: { data: string }) => data);
  zone.set(labelOf(label), type, values, json?.[0]?.ttl);
  return { status: method === "DELETE" ? 204 : 200 };
};

/** https://desec.readthedocs.io/en/latest/dns/rrsets.html */
export const desecFake: Fake = ({ method, parts, json, headers }, zone) => {
  if (headers.authorization !== `Token ${secret}`) {
    return { status: 401, body: { detail: "Invalid token." } };
  }
  const [, domain, sets, label = "", type = ""] = parts;
  if (domain !== zone.name || parts.at(-1) !== "") {
    return { status: 404, body: { detail: "Not found." } };
  }
  if (sets === "") {
    return { body: { name: zone.name, minimum_ttl: 3600 } };
  }
  if (method === "GET") {
    const found = zone.of(labelOf(label), type);
    return found.length === 0
      ? { status: 404, body: { detail: "Not found." } }
      : { body: { records: found.map(({ value }) => value), ttl: found[0]?.ttl } };
  }
  for (const { subname, type: kind, ttl, records } of json) {
    if (ttl < 3600 || !records.every(quoted)) {
      return { status: 400, body: [{ ttl: ["Ensure this value is greater than or equal to 3600."] }] };
    }
    zone.set(subname, kind, records, ttl);
  }
  return { body: [] };
};

/**
 * https://learn.microsoft.com/en-us/rest/api/dns/record-sets; every third change conflicts with a change of another
 * client
 */
export function azureFake(): Fake {
  let changes = 0;
  return ({ method, parts, json, headers, text, query }, zone) => {
    if (parts[0] === "tenant") {
      return new URLSearchParams(text).get("client_secret") === secret
        ? { body: { access_token: "granted", expires_in: 3599 } }
        : { status: 401, body: { error: "invalid_client", error_description: "wrong" } };
    }
    if (headers.authorization !== "Bearer granted" || query.get("api-version") === null) {
      return { status: 401, body: { error: { code: "InvalidAuthenticationToken", message: "no token" } } };
    }
    const [name, type = "", label = ""] = parts.slice(7);
    if (name !== zone.name) {
      return { status: 404, body: { error: { code: "ResourceNotFound", message: "not found" } } };
    }
    if (type === "") {
      return { body: { name: zone.name } };
    }
    const found = zone.of(labelOf(label), type);
    const etag = `v${changes}`;
    if (method === "GET") {
      const values =
        type === "TXT"
          ? { TXTRecords: found.map(({ value }) => ({ value: [value] })) }
          : { CNAMERecord: { cname: found[0]?.value } };
      return found.length === 0
        ? { status: 404, body: { error: { code: "NotFound", message: "not found" } } }
        : { body: { etag, properties: { TTL: found[0]?.ttl, ...values } } };
    }
    changes += 1;
    const isStale = headers["if-match"] === undefined ? found.length > 0 : headers["if-match"] !== etag;
    if (isStale || changes % 3 === 0) {
      return { status: 412, body: { error: { code: "PreconditionFailed", message: "changed meanwhile" } } };
    }
    const { TXTRecords = [], CNAMERecord, TTL } = json?.properties ?? {};
    const texts = TXTRecords.map(({ value }: { value: string[] }) => value.join(""));
    zone.set(labelOf(label), type, method === "DELETE" ? [] : CNAMERecord ? [CNAMERecord.cname] : texts, TTL);
    return {};
  };
}

/** https://cloud.google.com/dns/docs/reference/rest/v1; the token comes from the account of the machine */
export const googleFake: Fake = ({ parts, query, json, headers, method }, zone) => {
  if (parts[0] === "computeMetadata") {
    return headers["metadata-flavor"] === "Google"
      ? { body: { access_token: "granted", expires_in: 3599, token_type: "Bearer" } }
      : { status: 403 };
  }
  if (headers.authorization !== "Bearer granted") {
    return { status: 401, body: { error: { code: 401, message: "Request had invalid credentials" } } };
  }
  const [, , , , what] = parts;
  if (what === undefined) {
    const managedZones = [
      { name: "inside", dnsName: `${zone.name}.`, visibility: "private" },
      { name: "outside", dnsName: `${zone.name}.`, visibility: "public" },
    ];
    return { body: query.get("dnsName") === `${zone.name}.` ? { managedZones } : {} };
  }
  if (method === "GET") {
    const [name, type] = [query.get("name") ?? "", query.get("type") ?? ""];
    const found = zone.of(labelOf(name), type);
    const rrsets = [{ name, type, ttl: found[0]?.ttl, rrdatas: found.map(({ value }) => value) }];
    return { body: found.length === 0 ? {} : { rrsets } };
  }
  for (const { name, type, rrdatas } of json.deletions ?? []) {
    if (rrdatas.length !== zone.of(labelOf(name), type).length) {
      return { status: 412, body: { error: { message: "Precondition not met" } } };
    }
    zone.set(labelOf(name), type, [], 0);
  }
  for (const { name, type, ttl, rrdatas } of json.additions ?? []) {
    if (zone.of(labelOf(name), type).length > 0) {
      return { status: 409, body: { error: { message: "already exists" } } };
    }
    zone.set(labelOf(name), type, rrdatas, ttl);
  }
  return { body: { status: "pending" } };
};
