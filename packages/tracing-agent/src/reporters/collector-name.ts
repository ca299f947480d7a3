import { lookup } from "node:dns/promises";
import type { ClientTlsMaterial, Logger } from "lifecycle";
import type { CollectorAddress } from "./collector-address.ts";
import { CollectorEndpoint } from "./collector-endpoint.ts";

/** Milliseconds between DNS look-ups of a name, so that new collectors with this name get calls. */
export const lookupIntervalMs = 30_000;
/** Time in milliseconds from the loss of a collector to the next look-up, because a replacement may start soon. */
const lookupAfterLossMs = 1_000;
/** Maximum number of addresses of one name that are used. Further addresses are ignored. */
const maxAddresses = 256;

export interface CollectorNameSettings {
  readonly configured: CollectorAddress;
  readonly tls: () => ClientTlsMaterial | undefined;
  readonly log: Logger;
  /** Returns all addresses of a name. Default: the system's look-up. */
  readonly lookUp?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** Called when connections were added or removed. */
  onChange(): void;
}

/**
 * One entry of `--reporter.grpc.host-port`: one address, or a name with all its addresses in DNS. A name is looked up
 * every 30 seconds, and also within a second after the loss of one of its collectors. Addresses that DNS no longer has
 * get no more calls.
 */
export class CollectorName {
  /** The text in the configuration. */
  readonly text: string;
  readonly #settings: CollectorNameSettings;
  readonly #endpoints = new Map<string, CollectorEndpoint>();
  #isResolving = true;
  #lookupError = "";
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isAway = false;
  #reconnects = 0;
  #isClosed = false;

  constructor(settings: CollectorNameSettings) {
    this.#settings = settings;
    this.text = settings.configured.text;
    if (settings.configured.isName) {
      void this.#lookUp();
    } else {
      this.#isResolving = false;
      this.#setAddresses([settings.configured.host]);
    }
  }

  get endpoints(): readonly CollectorEndpoint[] {
    return [...this.#endpoints.values()];
  }

  /** Number of connected addresses. */
  get connected(): number {
    return this.endpoints.filter(({ state }) => state === "ready").length;
  }

  /** Number of connections that were made; as in Jaeger, the first connection is included. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /** True while the first look-up in DNS runs, and while any of the collectors has the state `connecting`. */
  get isStarting(): boolean {
    return this.#isResolving || this.endpoints.some(({ state }) => state === "connecting");
  }

  get lastError(): string {
    const failed = this.endpoints.find(({ lastError }) => lastError !== "");
    return failed?.lastError ?? this.#lookupError;
  }

  /** Accepts no more calls; running calls continue. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const endpoint of this.endpoints) {
      endpoint.close();
    }
  }

  destroy(): void {
    this.close();
    for (const endpoint of this.endpoints) {
      endpoint.destroy();
    }
  }

  async #lookUp(): Promise<void> {
    const { configured, lookUp = systemLookUp } = this.#settings;
    this.#timerAt = Number.POSITIVE_INFINITY;
    let addresses: readonly string[] = [];
    try {
      addresses = await lookUp(configured.host);
      this.#lookupError = addresses.length === 0 ? `no addresses for ${configured.host}` : "";
    } catch (error) {
      this.#lookupError = error instanceof Error ? error.message : String(error);
    }
    if (this.#isClosed) {
      return;
    }
    this.#isResolving = false;
    if (addresses.length > 0) {
      this.#setAddresses(addresses.slice(0, maxAddresses));
    }
    this.#lookUpIn(this.#endpoints.size === 0 ? lookupAfterLossMs : lookupIntervalMs);
    this.#changed();
  }

  #lookUpIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#settings.configured.isName && at < this.#timerAt) {
      clearTimeout(this.#timer);
      this.#timerAt = at;
      this.#timer = setTimeout(() => void this.#lookUp(), ms);
    }
  }

  #setAddresses(addresses: readonly string[]): void {
    const { configured, tls } = this.#settings;
    for (const [address, endpoint] of this.#endpoints) {
      if (!addresses.includes(address)) {
        this.#endpoints.delete(address);
        endpoint.close();
      }
    }
    for (const address of addresses) {
      if (!this.#endpoints.has(address)) {
        this.#endpoints.set(
          address,
          new CollectorEndpoint({
            address,
            port: configured.port,
            host: configured.host,
            tls,
            onChange: ({ state }) => this.#endpointChanged(state),
          }),
        );
      }
    }
  }

  #endpointChanged(state: string): void {
    if (state === "ready") {
      this.#reconnects++;
    } else if (!this.#isResolving) {
      this.#lookUpIn(lookupAfterLossMs);
    }
    this.#changed();
  }

  #changed(): void {
    const { log } = this.#settings;
    if (this.connected > 0) {
      if (this.#isAway) {
        log.info(`collector ${this.text} is back`);
      }
      this.#isAway = false;
    } else if (!this.isStarting && !this.#isAway) {
      this.#isAway = true;
      log.warn({ reason: this.lastError }, `collector ${this.text} is away: trying again until it is back`);
    }
    this.#settings.onChange();
  }
}

async function systemLookUp(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
