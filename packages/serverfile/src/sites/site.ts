import { joinHostPort } from "server-core/go/host-port";
import type { SiteAddress } from "../addresses/site-address.ts";
import type { SiteBlock } from "../parse/site-block.ts";
import type { DirectiveResult, Placed } from "../routes/site-results.ts";

/** A site with the result of its directives. */
export interface ReadSite {
  readonly block: SiteBlock;
  readonly results: readonly Placed<DirectiveResult>[];
  /** Named routes that it invokes. */
  readonly invoked: ReadonlySet<string>;
}

/** A site in one server, with the site addresses that lead there. */
export interface ServedSite {
  readonly site: ReadSite;
  readonly addresses: readonly SiteAddress[];
  /** The addresses as they were written. */
  readonly keys: readonly string[];
}

/** The usual result of {@link resultsOf}, shared because sites are asked for each kind repeatedly. */
const nothing: readonly never[] = [];

/** All results of one kind. */
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

/** The distinct hosts of a site; empty when one address is for any host. */
export function hostsOf({ addresses }: ServedSite): string[] {
  return addresses.some(({ host }) => host === "") ? [] : [...new Set(addresses.map(({ host }) => host))];
}

/** The hosts that a log is kept for, with a port that is not the usual one. */
export function logHostsOf({ addresses }: ServedSite): string[] {
  const hosts = addresses
    .filter(({ host }) => host !== "")
    .map(({ host, port }) => (["", "80", "443"].includes(port) ? host : joinHostPort(host, port)));
  return [...new Set(hosts)];
}

/** True when one of the addresses is for any host. */
export function servesAnyHost({ addresses }: ServedSite): boolean {
  return addresses.some(({ host }) => host === "");
}
