import type { Exchange } from "http-engine/exchange";
import { compileTemplate, type Template } from "http-engine/placeholders";
import { messageOf, ServerError } from "server-core/errors";
import { replaceStrictly } from "server-core/placeholders/machine-placeholders";
import type { ActiveHealth } from "./active-health.ts";
import { type DialAddress, hasPlaceholder, parseDial } from "./transport/dial-address.ts";
import type { Upstream } from "./upstream.ts";

/** An upstream of one proxy. */
export class Candidate {
  /** The shared counts of its address, which all proxies of the process change. */
  readonly upstream: Upstream;
  /** Place in the list of upstreams. */
  readonly index: number;
  /** `max_requests` of the config; infinite without a limit. */
  readonly maxRequests: number;
  /** Undefined without active health checks. */
  readonly health: ActiveHealth | undefined;
  /** Parsed once, where the address has no placeholders. */
  readonly #dial: DialAddress | undefined;
  /** Filled for each request, where it has some. Exactly one of the two is set. */
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
   * Key of the counts. With placeholders it is the text of the config, so all filled addresses share their
   * counts.
   */
  get address(): string {
    return this.upstream.address;
  }

  /** Running requests, over all threads. */
  get requests(): number {
    return this.upstream.requests;
  }

  /** @throws ServerError PROXY_UPSTREAM when placeholders make no address */
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

  /** Dial address if it does not depend on the request. Machine placeholders are allowed. */
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
