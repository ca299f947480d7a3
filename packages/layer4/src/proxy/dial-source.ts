import { isIP } from "node:net";
import { ServerError } from "server-core/errors";
import {
  type DialAddress,
  hasPlaceholder,
} from "server-modules/handlers/reverse-proxy/transport/dial-address";
import { nameLookups } from "server-modules/handlers/reverse-proxy/transport/name-lookups";
import type { Connection } from "../connection/connection.ts";
import type { UpstreamConfig } from "./proxy-config.ts";

/** A way to dial an upstream: its address, and the local IP address. */
export interface DialWay {
  readonly dial: DialAddress;
  readonly localAddress: string | undefined;
}

/** IPv4 or IPv6, in the form of `isIP`. */
type Family = 4 | 6;

/** Address families to try, in order, by option value. Default: both. Source: caddy-l4, `resolver_preference` */
const orders: Readonly<Record<string, readonly Family[]>> = {
  "": [4, 6],
  ipv4_only: [4],
  ipv6_only: [6],
  ipv4_first: [4, 6],
  ipv6_first: [6, 4],
};

function refuse(message: string): ServerError {
  return new ServerError("MODULE_CONFIG", message);
}

/**
 * The family of an address, which may have brackets or a zone: `[fe80::1%eth0]` is 6.
 * @throws ServerError MODULE_CONFIG for an invalid IP address
 */
function familyOf(address: string): Family {
  const family = isIP(address.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, ""));
  if (family !== 4 && family !== 6) {
    throw refuse(`local_address: ${JSON.stringify(address)} is no IP address without a port`);
  }
  return family;
}

/** Chooses local addresses of dials, and address families of lookups. */
export class DialSource {
  readonly #localAddresses: readonly string[];
  readonly #order: readonly Family[];
  /** True without any option: the system chooses the address and the family. */
  readonly #isFree: boolean;

  /** @throws ServerError MODULE_CONFIG */
  constructor({ dial, local_address: local, resolver_preference: preference }: UpstreamConfig) {
    this.#localAddresses = local ?? [];
    this.#order = orders[preference ?? ""] ?? [4, 6];
    this.#isFree = this.#localAddresses.length === 0 && !preference;
    const known = this.#localAddresses.filter((address) => !hasPlaceholder(address)).map(familyOf);
    if (this.#localAddresses.length > 0 && dial.some((address) => address.startsWith("unix"))) {
      throw refuse("local_address is not supported for unix sockets");
    }
    const isWhole = known.length > 0 && known.length === this.#localAddresses.length;
    if (isWhole && !known.some((family) => this.#order.includes(family))) {
      throw refuse(`resolver_preference ${preference} needs a local_address of its family`);
    }
  }

  /**
   * The ways to an upstream, the preferred first. Each address of the name is one way, with the first local address of
   * the same family. Without options there is one way, and the system chooses.
   * @throws Error when the name has no address of an allowed family, or a local address is invalid
   */
  async waysTo(dial: DialAddress, connection: Connection): Promise<DialWay[]> {
    if (this.#isFree || dial.path !== "") {
      return [{ dial, localAddress: undefined }];
    }
    const own = this.#localAddresses.map((address) => connection.fill(address)).filter((text) => text !== "");
    const byFamily = new Map(own.toReversed().map((address) => [familyOf(address), address]));
    const found = await this.#addressesOf(dial.host);
    const ways = this.#order.flatMap((family) =>
      found
        .filter((each) => isIP(each) === family)
        .map((host) => ({ dial: { ...dial, host, family }, localAddress: byFamily.get(family) })),
    );
    if (ways.length === 0) {
      throw new Error(`${dial.host} has no address of IPv${this.#order[0]}`);
    }
    return ways;
  }

  /** Addresses of a name, looked up only in the allowed families. An empty host means this machine. */
  async #addressesOf(host: string): Promise<string[]> {
    const name = host === "" ? "localhost" : host;
    if (isIP(name) !== 0) {
      return [name];
    }
    const found = await nameLookups.find(name, this.#order.length === 1 ? (this.#order[0] as Family) : 0);
    return found.map(({ address }) => address);
  }
}
