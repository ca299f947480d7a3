// Fakes of providers whose API has records one by one. Each follows the provider's public document.

import { type FakeReply, type FakeRequest, type FakeZone, labelOf } from "./fake-api.ts";

/** Answers for a zone. */
export type Fake = (request: FakeRequest, zone: FakeZone) => FakeReply;

const secret = "right-token-of-forty-characters-01234567";
const notFound: FakeReply = { status: 404, body: { message: "not found" } };
const isBearer = ({ headers }: FakeRequest) => headers.authorization === `Bearer ${secret}`;
const unauthorized: FakeReply = { status: 401, body: { message: "Unable to authenticate you" } };

/** https://developers.cloudflare.com/api/resources/dns/subresources/records/ */
export const cloudflareFake: Fake = (request, zone) => {
  const { method, parts, query, json } = request;
  const fault = (status: number, code: number, message: string) => ({
    status,
    body: { success: false, errors: [{ code, message }], result: null },
  });
  if (!isBearer(request)) {
    return fault(403, 10_000, "Authentication error");
  }
  const [zones, id, , record] = parts;
  if (zones === "zones" && id === undefined) {
    return {
      body: { success: true, result: query.get("name") === zone.name ? [{ id: "z1", name: zone.name }] : [] },
    };
  }
  if (method === "POST") {
    if (json.ttl !== 1 && (json.ttl < 60 || json.ttl > 86_400)) {
      return fault(400, 9_021, "Invalid TTL");
    }
    if (zone.of(labelOf(json.name), json.type).some(({ value }) => value === json.content)) {
      return fault(400, 81_058, "An identical record already exists.");
    }
    zone.add(labelOf(json.name), json.type, json.content, json.ttl);
    return { body: { success: true, result: {} } };
  }
  if (method === "DELETE") {
    zone.delete((each) => String(each.id) === record);
    return { body: { success: true, result: { id: record } } };
  }
  const found = zone.of(labelOf(query.get("name.exact") ?? ""), query.get("type") ?? "");
  return {
    body: { success: true, result: found.map((each) => ({ id: String(each.id), content: each.value })) },
  };
};

/** https://docs.digitalocean.com/reference/api/reference/domain-records/, two records a page */
export const digitaloceanFake: Fake = (request, zone) => {
  const { method, parts, query, json } = request;
  if (!isBearer(request)) {
    return unauthorized;
  }
  const [, domain, records, id] = parts;
  if (domain !== zone.name) {
    return notFound;
  }
  if (records === undefined) {
    return { body: { domain: { name: zone.name, ttl: 1800 } } };
  }
  if (method === "POST") {
    const isName = json.type === "CNAME";
    if (isName && !json.data.endsWith(".")) {
      return { status: 422, body: { message: "Data needs to end with a dot (.)" } };
    }
    zone.add(labelOf(json.name), json.type, json.data, json.ttl);
    return { status: 201, body: { domain_record: {} } };
  }
  if (method === "DELETE") {
    zone.delete((each) => String(each.id) === id);
    return { status: 204 };
  }
  const page = Number(query.get("page") ?? "1");
  const found = zone.of(labelOf(query.get("name") ?? ""), query.get("type") ?? "");
  const shown = found.slice((page - 1) * 2, page * 2);
  return {
    body: {
      domain_records: shown.map((each) => ({ id: each.id, data: each.value })),
      links: found.length > page * 2 ? { pages: { next: "…" } } : {},
    },
  };
};

/** https://techdocs.akamai.com/linode-api/reference/get-domain-records, two records a page */
export const linodeFake: Fake = (request, zone) => {
  const { method, parts, query, json, headers } = request;
  if (!isBearer(request)) {
    return { status: 401, body: { errors: [{ reason: "Invalid Token" }] } };
  }
  const [, domains, id, , record] = parts;
  if (domains === "domains" && id === undefined) {
    const filter = JSON.parse(String(headers["x-filter"]));
    return { body: { data: filter.domain === zone.name ? [{ id: 7, domain: zone.name }] : [], pages: 1 } };
  }
  if (method === "POST") {
    zone.add(json.name, json.type, json.target, json.ttl_sec);
    return { body: {} };
  }
  if (method === "DELETE") {
    zone.delete((each) => String(each.id) === record);
    return { body: {} };
  }
  const page = Number(query.get("page"));
  const shown = zone.records.slice((page - 1) * 2, page * 2);
  return {
    body: {
      data: shown.map((each) => ({ id: each.id, type: each.type, name: each.label, target: each.value })),
      pages: Math.ceil(zone.records.length / 2),
    },
  };
};

/** https://www.vultr.com/api/#tag/dns, two records a page */
export const vultrFake: Fake = (request, zone) => {
  const { method, parts, query, json } = request;
  if (!isBearer(request)) {
    return { status: 401, body: { error: "Invalid API token.", status: 401 } };
  }
  const [, domain, records, id] = parts;
  if (domain !== zone.name) {
    return { status: 404, body: { error: "Invalid domain.", status: 404 } };
  }
  if (records === undefined) {
    return { body: { domain: { domain: zone.name } } };
  }
  if (method === "POST") {
    zone.add(json.name, json.type, json.data, json.ttl);
    return { status: 201, body: { record: {} } };
  }
  if (method === "DELETE") {
    zone.delete((each) => String(each.id) === id);
    return { status: 204 };
  }
  const from = Number(query.get("cursor") ?? "0");
  const shown = zone.records.slice(from, from + 2);
  return {
    body: {
      records: shown.map((each) => ({
        id: String(each.id),
        type: each.type,
        name: each.label,
        data: each.value,
      })),
      meta: { links: { next: from + 2 < zone.records.length ? String(from + 2) : "", prev: "" } },
    },
  };
};

/** https://porkbun.com/api/json/v3/documentation */
export const porkbunFake: Fake = ({ parts, json, method }, zone) => {
  const fault = (message: string) => ({ status: 400, body: { status: "ERROR", message } });
  if (method !== "POST" || json.apikey !== "pk1" || json.secretapikey !== secret) {
    return fault("Invalid API key. (001)");
  }
  const [, action, domain, what, label = ""] = parts;
  if (domain !== zone.name) {
    return fault("Invalid domain.");
  }
  if (action === "create") {
    zone.add(json.name, json.type, json.content, Number(json.ttl));
    return { body: { status: "SUCCESS", id: 1 } };
  }
  if (action === "delete") {
    zone.delete((each) => String(each.id) === what);
    return { body: { status: "SUCCESS" } };
  }
  const records = zone.of(label, what ?? "").map((each) => ({ id: String(each.id), content: each.value }));
  return { body: { status: "SUCCESS", records } };
};

/** https://eu.api.ovh.com/console/, section domain */
export const ovhFake: Fake = ({ method, parts, query, json, headers }, zone) => {
  const [first, , domain, what, id] = parts;
  if (first === "auth") {
    return { body: "1800000000" };
  }
  if (
    headers["x-ovh-application"] !== "app" ||
    !/^\$1\$[\da-f]{40}$/.test(String(headers["x-ovh-signature"]))
  ) {
    return { status: 403, body: { message: "This credential is not valid" } };
  }
  if (domain !== zone.name) {
    return { status: 404, body: { message: "This service does not exist" } };
  }
  if (what === "refresh") {
    return { body: "null" };
  }
  if (what === undefined) {
    return { body: { name: zone.name } };
  }
  if (method === "POST") {
    zone.add(json.subDomain, json.fieldType, json.target, json.ttl);
    return { body: {} };
  }
  if (method === "DELETE") {
    zone.delete((each) => String(each.id) === id);
    return { body: "null" };
  }
  if (id !== undefined) {
    const found = zone.records.find((each) => String(each.id) === id);
    return found === undefined ? notFound : { body: { id: found.id, target: found.value } };
  }
  return { body: zone.of(query.get("subDomain") ?? "", query.get("fieldType") ?? "").map((each) => each.id) };
};

export { secret };
