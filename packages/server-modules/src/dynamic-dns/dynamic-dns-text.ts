import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import type { OptionReader } from "serverfile/modules/module-reader";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { duration, field, fieldLines, flag, texts } from "serverfile/to-text/lines/field-lines";
import { type Line, line } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import { dnsProviderLine } from "serverfile/to-text/modules/dns-providers";
import type { OptionWriter } from "serverfile/to-text/options/option-writer";
import * as fields from "serverfile/values/block-fields";
import { childOf, type Draft, listOf, setMember } from "serverfile/values/draft";

/** Reads `domains { zone name… }`. Lines of one zone add up; a zone alone becomes null, which means the zone itself. */
function readDomains(cursor: TokenCursor, draft: Draft): void {
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const zone = cursor.value;
    const names = cursor.remainingArguments();
    const domains = childOf(draft, "domains");
    const present = domains[zone];
    const all = [...(Array.isArray(present) ? present : []), ...names];
    setMember(domains, zone, all.length === 0 ? null : all);
  }
}

/** Reads `versions ipv4 ipv6`. Versions that the line does not name are disabled. */
function readVersions(cursor: TokenCursor, draft: Draft): void {
  const words = cursor.remainingArguments();
  if (words.length === 0) {
    throw cursor.error("Must specify at least one version");
  }
  const odd = words.find((word) => word !== "ipv4" && word !== "ipv6");
  if (odd !== undefined) {
    throw cursor.error(`Unsupported version: '${odd}'`);
  }
  setMember(draft, "versions", { ipv4: words.includes("ipv4"), ipv6: words.includes("ipv6") });
}

/** Appends the words of each line to one list. */
const appended =
  (member: string): fields.FieldReader =>
  (cursor, draft) =>
    void listOf(draft, member).push(...cursor.remainingArguments());

/**
 * `dynamic_dns { … }`.
 * ```
 * {
 *   dynamic_dns {
 *     provider cloudflare {env.CF_TOKEN}
 *     domains {
 *       example.com home @
 *     }
 *     check_interval 10m
 *     versions ipv4
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "dynamic_dns": {
 *     "dns_provider": { "api_token": "{env.CF_TOKEN}", "name": "cloudflare" },
 *     "domains": { "example.com": ["home", "@"] },
 *     "check_interval": 600000000000,
 *     "versions": { "ipv4": true, "ipv6": false }
 *   }
 * }
 * ```
 * Source: mholt/caddy-dynamicdns, `parseApp`
 */
const readOption: OptionReader = (cursor, readModule) => {
  cursor.noMoreArguments();
  const draft: Draft = {};
  const readers: fields.FieldReaders = {
    domains: readDomains,
    update_only: fields.flag("update_only"),
    dynamic_domains: fields.flag("dynamic_domains"),
    check_interval: fields.duration("check_interval", "invalid duration '%s'"),
    ttl: fields.duration("ttl", "invalid duration '%s'"),
    provider: (each, into) => {
      each.argument();
      setMember(into, "dns_provider", readModule(each, "dns.providers", "name"));
    },
    ip_source: (each, into) => {
      each.argument();
      listOf(into, "ip_sources").push(readModule(each, "dynamic_dns.ip_sources", "source"));
    },
    versions: readVersions,
    include: appended("include"),
    exclude: appended("exclude"),
    resolvers: fields.texts("resolvers"),
  };
  fields.readFields(cursor, draft, readers, (word) => `unrecognized option '${word}'`);
  return draft;
};

/** Words of a source after its name. */
const sourceWords: Readonly<Record<string, (source: Members) => readonly (readonly string[])[]>> = {
  simple_http: (source) => (source.texts("endpoints") ?? []).map((url) => [url]),
  static: (source) => [source.texts("ips") ?? []],
  interface: (source) => [[source.text("name") ?? ""]],
};

/** Writes the line of a source. A source with several addresses has no line, because a line holds one address. */
function sourceLines(source: Members): Line[] {
  const name = source.text("source") ?? "";
  const words = Object.hasOwn(sourceWords, name) ? sourceWords[name]?.(source) : undefined;
  if (words === undefined || words.length !== 1) {
    throw inexpressible(source.path, "a text says simple_http with one endpoint, static, or interface");
  }
  source.done("an IP source");
  return words.map((each) => line("ip_source", name, ...each));
}

/** Writes the option back, one line for each member. */
const writeOption: OptionWriter = (app) => {
  const provider = app.child("dns_provider");
  const domains = app.child("domains")?.entries() ?? [];
  const block: Line[] = [
    ...(provider === undefined ? [] : [dnsProviderLine(provider, "provider")]),
    ...(domains.length === 0
      ? []
      : [
          {
            words: ["domains"],
            block: domains.map(([zone, names]) =>
              line(zone, ...(Array.isArray(names) ? names.map(String) : [])),
            ),
          },
        ]),
    ...(app.children("ip_sources") ?? []).flatMap(sourceLines),
    ...fieldLines(app, {
      check_interval: duration("check_interval"),
      versions: field("versions", (members, key) => {
        const versions = members.child(key);
        return ["ipv4", "ipv6"].filter((each) => versions?.boolean(each) !== false);
      }),
      ttl: duration("ttl"),
      include: texts("include"),
      exclude: texts("exclude"),
      resolvers: texts("resolvers"),
      update_only: flag("update_only"),
      dynamic_domains: flag("dynamic_domains"),
    }),
  ];
  app.done("dynamic_dns");
  return [{ words: ["dynamic_dns"], block }];
};

/** The global option of the app. */
export const dynamicDnsText: ModuleText = { readOption, writeOption };

/** `simple_http <url>`. Source: mholt/caddy-dynamicdns */
export const simpleHttpText: ModuleText = {
  readText(cursor) {
    cursor.next();
    return { endpoints: [cursor.onlyArgument()] };
  },
};

/** `static <addresses…>`. */
export const staticSourceText: ModuleText = {
  readText(cursor) {
    cursor.next();
    return { ips: cursor.remainingArguments() };
  },
};

/** `interface <name>`. */
export const interfaceSourceText: ModuleText = {
  readText(cursor) {
    cursor.next();
    return { name: cursor.onlyArgument() };
  },
};

/** `upnp [<endpoint>]`: read, and refused with the config. */
export const upnpSourceText: ModuleText = {
  readText(cursor) {
    cursor.next();
    const endpoint = cursor.nextArgument() ? cursor.value : undefined;
    return endpoint === undefined ? {} : { endpoint };
  },
};
