import { duration, field, fieldLines, flag, integer, size, text, texts } from "../lines/field-lines.ts";
import { type Line, line } from "../lines/line.ts";
import { matcherLines } from "../matchers/request-matcher-lines.ts";
import type { Members } from "../members.ts";
import type { HandlerWriter } from "../routes/handler-writer.ts";

const cacheFields = {
  max_bytes: size("max_bytes"),
  max_object_bytes: size("max_object_bytes"),
  default_ttl: duration("default_ttl"),
};

/** `cache`. */
export const cache: HandlerWriter = (handler) => {
  const lines = fieldLines(handler, cacheFields);
  return { directive: "cache", words: [], block: lines.length === 0 ? undefined : lines };
};

const zoneFields = {
  key: text("key"),
  window: duration("window"),
  events: integer("max_events"),
  max_keys: integer("max_keys"),
};

/** `rate_limit`. */
export const rateLimit: HandlerWriter = (handler) => {
  const zones = handler.child("rate_limits");
  const lines = (zones?.childEntries() ?? []).map(([name, zone]): Line => {
    const inner = fieldLines(zone, zoneFields);
    for (const [index, set] of (zone.list("match") ?? []).entries()) {
      inner.push({ words: ["match"], block: matcherLines(set, `${zone.pathOf("match")}/${index}`, "") });
    }
    zone.done("a zone of rate_limit");
    return { words: ["zone", name], block: inner };
  });
  return { directive: "rate_limit", words: [], block: lines.length === 0 ? undefined : lines };
};

const oidcFields = {
  client_id: text("client_id"),
  client_secret: text("client_secret"),
  client_auth: text("client_auth"),
  scopes: texts("scopes"),
  external_url: text("external_url"),
  base_path: text("base_path"),
  callback_path: text("callback_path"),
  logout_path: text("logout_path"),
  after_logout: text("after_logout"),
  session_lifetime: duration("session_lifetime"),
  user_info: flag("user_info"),
  claims: texts("claims"),
  pass_access_token: flag("pass_access_token"),
  trusted_roots: texts("trusted_roots_pem_files"),
};
const cookieFields = {
  name: text("name"),
  domain: text("domain"),
  same_site: text("same_site"),
  secure: field("secure", (members, key) => [members.boolean(key) === true ? "on" : "off"]),
};

function entryLines(name: string, map: Members | undefined): Line[] {
  return (map?.keys ?? []).map((key) => line(name, key, map?.text(key) ?? ""));
}

/** `oidc`. */
export const oidc: HandlerWriter = (handler) => {
  const issuer = handler.text("issuer") ?? "";
  const lines = fieldLines(handler, oidcFields);
  lines.push(...entryLines("parameter", handler.child("authorization_parameters")));
  const cookie = handler.child("cookie");
  if (cookie !== undefined) {
    lines.push({ words: ["cookie"], block: fieldLines(cookie, cookieFields) });
  }
  for (const rule of handler.children("allow") ?? []) {
    lines.push(line("allow", rule.text("claim") ?? "", ...(rule.texts("values") ?? [])));
    rule.done("allow");
  }
  lines.push(...entryLines("header", handler.child("headers")));
  return { directive: "oidc", words: [issuer], block: lines };
};
