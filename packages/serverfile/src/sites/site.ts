import { joinHostPort } from "server-core/go/host-port";
import type { SiteAddress } from "../addresses/site-address.ts";
import type { SiteBlock } from "../parse/site-block.ts";
import type { DirectiveResult, Placed } from "../routes/site-results.ts";

/** A site with the results of its directives. */
export interface ReadSite {
  readonly block: SiteBlock;
  readonly results: readonly Placed<DirectiveResult>[];
  /** Named routes that the site invokes. */
  readonly invoked: ReadonlySet<string>;
}

/** A site on one server, with the site's addresses that belong to this server. */
export interface ServedSite {
  readonly site: ReadSite;
  readonly addresses: readonly SiteAddress[];
  /** The addresses as written. */
  readonly keys: readonly string[];
}

/** The shared empty result of {@link resultsOf}, which is called often. */
const nothing: readonly never[] = [];

export function resultsOf<K extends DirectiveResult["kind"]>(
  site: ReadSite,
  kind: K,
): readonly Extract<DirectiveResult, { kind: K }>[] {
  let found: Extract<DirectiveResult, { kind: K }>[] | undefined;
  for (const { result } of site.results) {
    if (result.kind === kind) {
      found ??= [];
      found.push(result as Extract<DirectiveResult, { kind: K }>);
    }
  }
  return found ?? nothing;
}

/** The hosts of a site without repeats; empty when one of its addresses matches any host. */
export function hostsOf({ addresses }: ServedSite): string[] {
  return addresses.some(({ host }) => host === "") ? [] : [...new Set(addresses.map(({ host }) => host))];
}

/** The hosts of a site for the access log. Each host includes its port unless the port is a default port. */
export function logHostsOf({ addresses }: ServedSite): string[] {
  const hosts = addresses
    .filter(({ host }) => host !== "")
    .map(({ host, port }) => (["", "80", "443"].includes(port) ? host : joinHostPort(host, port)));
  return [...new Set(hosts)];
}

/** True when one of the addresses matches any host. */
export function servesAnyHost({ addresses }: ServedSite): boolean {
  return addresses.some(({ host }) => host === "");
}
