import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { proxyProtocolHeader } from "http-engine/proxy-protocol/proxy-protocol-header";
import { errorWithin, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { FailureMemory } from "server-modules/handlers/reverse-proxy/failure-memory";
import type { AddressPolicy } from "server-modules/handlers/reverse-proxy/selection-policy";
import { upstreamDetailTopic, upstreamPool } from "server-modules/handlers/reverse-proxy/upstream";
import type { Connection } from "../connection/connection.ts";
import type { Handler } from "../routes/handler.ts";
import { ConnectChecker } from "./connect-checker.ts";
import { type ProxyConfig, proxySchema } from "./proxy-config.ts";
import { relay } from "./relay.ts";
import { selectionPolicies } from "./selection-policies.ts";
import { UpstreamFailure, UpstreamServer } from "./upstream-server.ts";

/** Default pause between two attempts, in milliseconds. Source: caddy-l4, `try_interval` */
const defaultTryIntervalMs = 250;

/** An upstream with an open connection to each of its addresses. */
interface Dialed {
  readonly server: UpstreamServer;
  readonly sockets: readonly Socket[];
}

/**
 * Connects clients to upstreams:
 *
 * | outcome of a dial | what happens |
 * |---|---|
 * | connected | both sides are joined until both have ended |
 * | failed, within `try_duration` | a pause, then the policy chooses again |
 * | failed, after `try_duration` | the connection is closed, the failure is logged |
 * | no upstream is available | the same as a failure |
 * | the client disconnected | nothing more |
 */
class ProxyHandler implements Handler {
  readonly #servers: readonly UpstreamServer[];
  readonly #policy: AddressPolicy;
  readonly #failures: FailureMemory;
  readonly #tryMs: number;
  readonly #tryIntervalMs: number;
  readonly #proxyProtocol: "v1" | "v2" | undefined;
  /** Open connections by upstream server. */
  readonly #open = new Map<UpstreamServer, Set<Duplex>>();

  constructor(config: ProxyConfig, servers: readonly UpstreamServer[], policy: AddressPolicy) {
    this.#servers = servers;
    this.#policy = policy;
    this.#failures = new FailureMemory(config.health_checks?.passive?.fail_duration ?? 0);
    this.#tryMs = config.load_balancing?.try_duration ?? 0;
    this.#tryIntervalMs = config.load_balancing?.try_interval || defaultTryIntervalMs;
    this.#proxyProtocol = config.proxy_protocol || undefined;
  }

  async handle(connection: Connection): Promise<void> {
    const dialed = await this.#dial(connection);
    if (dialed === undefined) {
      return; // the client is gone
    }
    const { server, sockets } = dialed;
    const streams = this.#open.get(server) ?? new Set<Duplex>();
    this.#open.set(server, streams);
    const client = connection.take();
    streams.add(client);
    for (const upstream of server.upstreams) {
      upstream.begin();
    }
    try {
      await relay(client, sockets);
    } finally {
      streams.delete(client);
      for (const upstream of server.upstreams) {
        upstream.end();
      }
    }
  }

  /** Closes the connections to an upstream that went down. Called only with `close_if_unhealthy`. */
  cut(server: UpstreamServer): void {
    for (const stream of this.#open.get(server) ?? []) {
      stream.destroy();
    }
  }

  /** Forgets failures, and stops their timers. */
  close(): void {
    this.#failures.close();
  }

  /** Tries upstreams within the configured time. @throws the error of the last attempt */
  async #dial(connection: Connection): Promise<Dialed | undefined> {
    const endsAt = performance.now() + this.#tryMs;
    const preface = this.#preface(connection);
    for (;;) {
      let failure = new Error("no upstreams available");
      const server = this.#choose(connection);
      if (server !== undefined) {
        try {
          return { server, sockets: await server.dial(connection, preface) };
        } catch (error) {
          if (error instanceof UpstreamFailure) {
            this.#failures.count(error.upstream);
          }
          failure = error as Error;
        }
      }
      if (connection.isClosed) {
        return undefined;
      }
      if (performance.now() >= endsAt) {
        throw failure;
      }
      await sleep(this.#tryIntervalMs, undefined, { ref: false });
    }
  }

  /** Lets the policy choose among the available upstreams. @returns undefined when none is available */
  #choose({ addresses }: Connection): UpstreamServer | undefined {
    const available = this.#servers.filter((server) => server.isAvailable);
    const candidates = available.map(({ candidate }) => candidate);
    const chosen = candidates.length === 0 ? undefined : this.#policy.select(candidates, addresses);
    return available.find(({ candidate }) => candidate === chosen);
  }

  /** The PROXY protocol header with the client's address, for upstreams that expect it. */
  #preface({ addresses }: Connection): Buffer | undefined {
    const { remoteAddress, remotePort, localAddress, localPort } = addresses;
    return this.#proxyProtocol === undefined
      ? undefined
      : proxyProtocolHeader(this.#proxyProtocol, {
          ...{ source: remoteAddress, sourcePort: remotePort },
          ...{ destination: localAddress, destinationPort: localPort },
        });
  }
}

/** Loads all upstreams. @throws ServerError with the upstream's position */
async function loadServers(config: ProxyConfig, context: ModuleContext): Promise<UpstreamServer[]> {
  const active = config.health_checks?.active;
  // Proxies with equal active checks share the results.
  const check = active
    ? createHash("sha256")
        .update(JSON.stringify(["connect", active]))
        .digest("base64url")
        .slice(0, 12)
    : undefined;
  const servers: UpstreamServer[] = [];
  for (const [index, upstream] of (config.upstreams ?? []).entries()) {
    if (upstream.dial.length === 0) {
      throw new ServerError("MODULE_CONFIG", `upstream ${index}: no address to dial`);
    }
    try {
      servers.push(await UpstreamServer.load(upstream, index, config, { context, check }));
    } catch (error) {
      throw errorWithin(`upstream ${index}`, error);
    }
  }
  if (servers.length === 0) {
    throw new ServerError("MODULE_CONFIG", "no upstreams defined");
  }
  return servers;
}

/** The config of the policy. A weighted policy gets its weights from the upstreams, as in caddy-l4. */
function policyConfig(config: ProxyConfig): JsonValue {
  const named = config.load_balancing?.selection ?? { policy: "random" };
  return named.policy === "weighted_round_robin"
    ? { policy: "weighted_round_robin", weights: (config.upstreams ?? []).map(({ weight }) => weight || 1) }
    : (named as JsonValue);
}

/** Joins connections with upstreams. Source: caddy-l4, `layer4.handlers.proxy` */
export const proxy = defineModule({
  id: "layer4.handlers.proxy",
  config: proxySchema,
  async provision(config, context): Promise<Handler> {
    const servers = await loadServers(config, context);
    const policy = await context.loadInline(
      selectionPolicies,
      "policy",
      policyConfig(config),
      "load_balancing/selection",
    );
    const handler = new ProxyHandler(config, servers, policy);
    const active = config.health_checks?.active;
    const checker = active
      ? new ConnectChecker(active, servers, {
          log: context.log,
          emit: (name, data) => context.emit(name, data),
          onDown: (server) => active.close_if_unhealthy && handler.cut(server),
        })
      : undefined;
    context.messages.on(upstreamDetailTopic, () =>
      context.resources(upstreamPool).map(({ detail }) => detail),
    );
    checker?.start();
    return {
      handle: (connection) => handler.handle(connection),
      close() {
        checker?.close();
        handler.close();
      },
    };
  },
});
