import type { Logger } from "lifecycle";
import type { EventData } from "server-core/events/server-event";
import { nameLookups } from "server-modules/handlers/reverse-proxy/transport/name-lookups";
import { openSocket } from "server-modules/handlers/reverse-proxy/transport/open-socket";
import type { ProxyConfig } from "./proxy-config.ts";
import type { UpstreamServer } from "./upstream-server.ts";

type ActiveConfig = NonNullable<NonNullable<ProxyConfig["health_checks"]>["active"]>;

/** Default interval between two checks, in milliseconds. */
const defaultIntervalMs = 30_000;
/** Default timeout of a check, in milliseconds. */
const defaultTimeoutMs = 5_000;

interface CheckerServices {
  readonly log: Logger;
  /** Called when an upstream goes up or down. */
  readonly emit: (name: string, data: EventData) => unknown;
  /** Called for an upstream that went down, in each thread that learns of it. */
  readonly onDown: (server: UpstreamServer) => void;
}

/**
 * Connects to upstreams periodically, and closes each connection. An opened connection is a pass; nothing is sent. The
 * threads share the result and take turns, so an upstream gets one connection for each interval, not one for each
 * thread.
 */
export class ConnectChecker {
  readonly #config: ActiveConfig;
  readonly #servers: readonly UpstreamServer[];
  readonly #services: CheckerServices;
  /** The last state that this thread has handled, by upstream. */
  readonly #wasHealthy = new Map<UpstreamServer, boolean>();
  #timer: NodeJS.Timeout | undefined;

  constructor(config: ActiveConfig, servers: readonly UpstreamServer[], services: CheckerServices) {
    this.#config = config;
    this.#servers = servers;
    this.#services = services;
  }

  /** Checks immediately, then at each interval. */
  start(): void {
    const intervalMs = this.#config.interval || defaultIntervalMs;
    const round = () => {
      for (const server of this.#servers) {
        if (server.candidate.health?.takeTurn(intervalMs, Date.now()) === true) {
          this.#check(server);
        }
        this.#notice(server);
      }
    };
    // Starts after the config is complete, so a config that is only validated makes no connections.
    this.#timer = setTimeout(() => {
      round();
      this.#timer = setInterval(round, intervalMs).unref();
    }, 0).unref();
  }

  /** Stops the checks. A running check still records its result. */
  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#timer);
  }

  /** Handles a changed state. Each thread reads, at its own interval, the results of other threads. */
  #notice(server: UpstreamServer): void {
    const isHealthy = server.candidate.health?.healthy !== false;
    if (this.#wasHealthy.get(server) !== false && !isHealthy) {
      this.#services.onDown(server);
    }
    this.#wasHealthy.set(server, isHealthy);
  }

  /** Checks the upstream's first address, or `port` on its host. */
  #check(server: UpstreamServer): void {
    const { fixedDial } = server.candidate;
    if (fixedDial === undefined) {
      return; // its address depends on the connection
    }
    const { port, timeout } = this.#config;
    const dial = port && fixedDial.path === "" ? { ...fixedDial, port } : fixedDial;
    const options = {
      ...{ dialTimeoutMs: timeout || defaultTimeoutMs, fallbackDelayMs: 300, probeIntervalMs: 0 },
      ...{ localAddress: undefined, lookup: nameLookups.lookup, writeBufferBytes: 0 },
    };
    openSocket(dial, options, {}, (error, socket) => {
      socket?.destroy();
      this.#note(server, error?.message ?? "");
    });
  }

  /**
   * Counts a pass or a failure. After `rise` consecutive passes or `fall` consecutive failures the state
   * changes: it is logged, and an event `healthy` or `unhealthy` is emitted.
   * @param fault "" for a pass
   */
  #note(server: UpstreamServer, fault: string): void {
    const { rise, fall } = this.#config;
    const { candidate } = server;
    const needed = (fault === "" ? rise : fall) || 1;
    if (candidate.health?.note(fault === "", needed) === true) {
      const { log, emit } = this.#services;
      emit(fault === "" ? "healthy" : "unhealthy", { host: candidate.address });
      if (fault === "") {
        log.info(`upstream ${candidate.address} is up: it takes connections`);
      } else {
        log.warn(`upstream ${candidate.address} is down: ${fault}`);
      }
      this.#notice(server);
    }
  }
}
