import { Agent, request } from "undici";
import type { HostAddress } from "./host-address.ts";
import { HostHealth, type OnHostChange } from "./host-health.ts";
import { hostConnector, type WatchedHostTls } from "./host-tls.ts";

/** A server with the connections that call it. */
export interface Host {
  /** Index in the list of hosts. */
  readonly index: number;
  /** Address without credentials. */
  readonly url: string;
  /** Value of the header `Authorization`. */
  readonly authorization: string;
}

export interface HostPoolOptions {
  readonly addresses: readonly HostAddress[];
  /** Maximum number of open connections to one address. */
  readonly maxConnections: number;
  /** Called when a server goes down or comes back up. */
  readonly onHostChange?: OnHostChange | undefined;
  /** Trusted CAs and client certificate, reloaded when the files change. */
  readonly tls?: WatchedHostTls | undefined;
}

const connectTimeoutMs = 5_000;

/**
 * The connections to all servers, and the state of the servers. A single server is not pinged, because its calls show
 * its state.
 */
export class HostPool {
  readonly hosts: readonly Host[];
  /** Health of the servers; undefined for a single server. */
  readonly health: HostHealth | undefined;
  readonly agent: Agent;
  readonly #onHostChange: OnHostChange | undefined;
  readonly #tls: WatchedHostTls | undefined;
  #isSingleUp = true;
  /** Indexes of servers that answer pings, which need no credentials, but refuse our credentials. */
  readonly #strangers = new Set<number>();
  /** A separate agent, so that a ping does not wait for other calls or for the previous ping. */
  readonly #pings: Agent;

  constructor(options: HostPoolOptions) {
    const { tls } = options;
    this.#onHostChange = options.onHostChange;
    this.#tls = tls;
    const connect = hostConnector(tls, connectTimeoutMs);
    this.#pings = new Agent({ connections: 2, connect });
    this.agent = new Agent({
      connections: options.maxConnections,
      connect,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.hosts = options.addresses.map((address, index) => ({
      index,
      url: address.url,
      authorization: `Basic ${Buffer.from(`${address.user}:${address.password}`).toString("base64")}`,
    }));
    if (this.hosts.length > 1) {
      this.health = new HostHealth({
        urls: this.hosts.map(({ url }) => url),
        ping: (index, signal) => this.#ping(index, signal),
        onChange: options.onHostChange,
      });
    } else {
      for (const { url } of this.hosts) {
        options.onHostChange?.(url, true, "");
      }
    }
  }

  /** Called when ClickHouse answered a call, even with an error. */
  answered(index: number): void {
    if (this.health !== undefined) {
      this.health.answered(index);
    } else if (!this.#isSingleUp) {
      this.#tellSingle(true, "");
    }
  }

  /** Called when a call found the server down. */
  failed(index: number, reason: string): void {
    if (this.health !== undefined) {
      this.health.failed(index, reason);
    } else if (this.#isSingleUp) {
      this.#tellSingle(false, reason);
    }
  }

  /** Called when a server refuses the configured user or password. The server gets no calls until it accepts them. */
  refusesUs(index: number, reason: string): void {
    this.#strangers.add(index);
    this.failed(index, reason);
  }

  /** True when a server that counts as down answers, but refuses the configured user or password. */
  isStranger(index: number): boolean {
    return this.#strangers.has(index);
  }

  async close(): Promise<void> {
    this.health?.close();
    this.#tls?.close();
    await Promise.all([this.agent.destroy(), this.#pings.destroy()]);
  }

  #tellSingle(isUp: boolean, reason: string): void {
    this.#isSingleUp = isUp;
    this.#onHostChange?.(this.hosts[0]?.url ?? "", isUp, reason);
  }

  async #ping(index: number, signal: AbortSignal): Promise<void> {
    const base = new URL(this.hosts[index]?.url ?? "");
    base.search = "";
    if (!base.pathname.endsWith("/")) {
      base.pathname += "/";
    }
    const response = await request(new URL("ping", base), { signal, dispatcher: this.#pings });
    await response.body.dump();
    if (response.statusCode !== 200) {
      throw new Error(`HTTP status ${response.statusCode}`);
    }
    if (this.#strangers.has(index)) {
      await this.#introduce(index, base, signal);
    }
  }

  /** Checks if a server accepts our credentials now. */
  async #introduce(index: number, base: URL, signal: AbortSignal): Promise<void> {
    const url = new URL(base);
    url.search = new URLSearchParams({ query: "SELECT 1" }).toString();
    const authorization = this.hosts[index]?.authorization ?? "";
    const response = await request(url, { signal, headers: { authorization }, dispatcher: this.#pings });
    await response.body.dump();
    if (response.statusCode === 401 || response.statusCode === 403) {
      throw new Error("it refuses our user or password");
    }
    this.#strangers.delete(index);
  }
}
