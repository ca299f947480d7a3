import type { Exchange } from "http-engine/exchange";
import { compileTemplate, type Template } from "http-engine/placeholders";
import { messageOf, ServerError } from "server-core/errors";
import { replaceStrictly } from "server-core/placeholders/machine-placeholders";
import type { ActiveHealth } from "./active-health.ts";
import { type DialAddress, hasPlaceholder, parseDial } from "./transport/dial-address.ts";
import type { Upstream } from "./upstream.ts";

/** An upstream of one proxy. */
export class Candidate {
  /** The counters of the address, which all proxies of the process share. */
  readonly upstream: Upstream;
  /** Index in the list of upstreams. */
  readonly index: number;
  /** `max_requests` of the config; infinite without a limit. */
  readonly maxRequests: number;
  /** Result of active health checks; undefined without checks. */
  readonly health: ActiveHealth | undefined;
  /** The parsed address, if it has no placeholders. */
  readonly #dial: DialAddress | undefined;
  /** Template of an address with placeholders, filled for each request. Either this member or `#dial` is set. */
  readonly #template: Template | undefined;

  /** @throws ServerError MODULE_CONFIG */
  constructor(upstream: Upstream, index: number, maxRequests: number, health: ActiveHealth | undefined) {
    this.upstream = upstream;
    this.index = index;
    this.maxRequests = maxRequests;
    this.health = health;
    if (hasPlaceholder(upstream.address)) {
      this.#template = compileTemplate(upstream.address);
    } else {
      this.#dial = parseDial(upstream.address);
    }
  }

  /**
   * Key of the counters. If it contains placeholders, it is the text from the config, so all resulting addresses share
   * counters.
   */
  get address(): string {
    return this.upstream.address;
  }

  /** Number of running requests, over all threads. */
  get requests(): number {
    return this.upstream.requests;
  }

  /** @throws ServerError PROXY_UPSTREAM when the placeholders do not result in an address */
  dial(exchange: Exchange): DialAddress {
    return this.#dial ?? this.#dialOf(this.#template?.(exchange) ?? "");
  }

  #dialOf(text: string): DialAddress {
    try {
      return parseDial(text);
    } catch (error) {
      throw new ServerError("PROXY_UPSTREAM", `${this.address}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The dial address if it does not depend on the request. Placeholders of the machine are allowed. */
  get fixedDial(): DialAddress | undefined {
    if (this.#dial !== undefined) {
      return this.#dial;
    }
    try {
      return parseDial(replaceStrictly(this.address));
    } catch {
      return undefined;
    }
  }
}
