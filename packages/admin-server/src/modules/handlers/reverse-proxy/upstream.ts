import type { Logger } from "lifecycle";
import { Pool } from "undici";
import { messageOf, ServerError } from "../../../core/errors.ts";
import type { ResourceKind, SharedResource } from "../../../core/modules/usage-pool.ts";
import type { SharedCounter, SharedGauge, SharedState } from "../../../core/threads/shared-state.ts";

/** Time to connect. Source: the public model (Caddy 2.11), transport http */
const dialTimeoutMs = 3_000;

/** Names of the counts of upstreams, over all threads; the address follows. */
export const upstreamPrefix = "http.reverse_proxy.upstream/";

/** Where an upstream is. */
export interface DialAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, `:port` or `[::1]:port`. @throws ServerError MODULE_CONFIG */
export function parseDial(text: string): DialAddress {
  const match = /^(?:tcp\/)?(?:\[([0-9a-fA-F:.%]+)\]|([^:[\]/\s{}]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port === 0 || port > 65_535) {
    throw new ServerError("MODULE_CONFIG", `upstream: dial ${JSON.stringify(text)} is not host:port`);
  }
  return { host: match[1] ?? (match[2] || "localhost"), port };
}

/**
 * A server behind the proxy. One per address for all proxies and configs, so that its counts are the whole truth and
 * its connections outlive reloads.
 */
export class Upstream implements SharedResource {
  /** As configured. */
  readonly address: string;
  readonly dial: DialAddress;
  readonly pool: Pool;
  readonly #log: Logger;
  readonly #requests: SharedGauge;
  readonly #fails: SharedCounter;
  #answers = true;

  /** @throws ServerError MODULE_CONFIG */
  constructor(address: string, log: Logger, shared: SharedState) {
    this.address = address;
    this.dial = parseDial(address);
    this.#log = log;
    this.#requests = shared.gauge(`${upstreamPrefix}${address}`);
    this.#fails = shared.counter(`${upstreamPrefix}${address}`);
    const { host, port } = this.dial;
    this.pool = new Pool(`http://${host.includes(":") ? `[${host}]` : host}:${port}`, {
      connect: { timeout: dialTimeoutMs },
      pipelining: 1,
      allowH2: false,
      // Responses may take and pause as long as they like (server-sent events); the client ends what it has no use for.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Requests under way in all threads, tunnels included. */
  get requests(): number {
    return this.#requests.value;
  }

  /** Failures that passive health checks still remember. */
  get fails(): number {
    return this.#fails.value;
  }

  begin(): void {
    this.#requests.add(1);
  }

  end(): void {
    this.#requests.add(-1);
  }

  /** @param rememberMs how long it counts in `fails`; 0 not at all */
  failed(error: Error, rememberMs: number): void {
    if (this.#answers) {
      this.#answers = false;
      this.#log.warn(`upstream ${this.address} does not answer: ${messageOf(error.cause ?? error)}`);
    }
    if (rememberMs > 0) {
      this.#fails.add(1);
      setTimeout(() => this.#fails.add(-1), rememberMs).unref();
    }
  }

  answered(): void {
    if (!this.#answers) {
      this.#answers = true;
      this.#log.info(`upstream ${this.address} answers again`);
    }
  }

  async close(): Promise<void> {
    await this.pool.close();
    this.#requests.release();
    this.#fails.release();
  }
}

/** The global pool that `GET /reverse_proxy/upstreams` shows. */
export const upstreamPool: ResourceKind<Upstream> = { name: "http.reverse_proxy.upstream" };
