import { canonicalIp } from "server-core/go/ip-address";
import type { Exchange } from "./exchange.ts";
import { getHeaders } from "./header-list.ts";
import type { IpSource } from "./ip-source.ts";
import { withoutZone } from "./remote-address.ts";

export interface ClientAddressRules {
  /** Addresses of trusted proxies; undefined: no proxy is trusted. */
  readonly trusted: IpSource | undefined;
  /** Fields in which a proxy names the client; the first field with an address counts. */
  readonly headers: readonly string[];
  /**
   * True: lists are read from the right, skipping trusted proxies. False: the first address counts, which a client can
   * forge.
   */
  readonly strict: boolean;
  /** True: every client over a unix socket is a trusted proxy. */
  readonly trustUnix: boolean;
}

/**
 * An entry of `X-Forwarded-For`, with or without port, brackets and zone. @returns undefined for a text that is not an
 * address
 */
function addressIn(text: string): string | undefined {
  const entry = text.trim();
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ??
    (/^[^:]+:\d+$/.test(entry) ? entry.replace(/:\d+$/, "") : entry);
  return canonicalIp(bare);
}

/** True when the peer is trusted to name the client. */
export function isTrustedProxy(exchange: Exchange, { trusted, trustUnix }: ClientAddressRules): boolean {
  const { remoteAddress } = exchange;
  return remoteAddress === "" ? trustUnix : trusted?.contains(remoteAddress) === true;
}

/**
 * The client's address: the peer's address, or the address that a trusted proxy names. Source: Caddy 2.11, trusted
 * proxies
 */
export function clientAddress(exchange: Exchange, rules: ClientAddressRules): string {
  if (!isTrustedProxy(exchange, rules)) {
    return withoutZone(exchange.remoteAddress);
  }
  for (const name of rules.headers) {
    const list = getHeaders(exchange.stream.headers, name).flatMap((value) => value.split(","));
    const addresses = list.map(addressIn).filter((address) => address !== undefined);
    const found = rules.strict
      ? addresses.findLast((address) => rules.trusted?.contains(address) !== true)
      : addresses[0];
    if (found !== undefined) {
      return found;
    }
  }
  return withoutZone(exchange.remoteAddress);
}
