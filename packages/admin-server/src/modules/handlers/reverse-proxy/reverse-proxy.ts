import { setTimeout as pause } from "node:timers/promises";
import { ServerError } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json/json-value.ts";
import { defineModule } from "../../../core/modules/module.ts";
import type { ModuleContext } from "../../../core/modules/module-context.ts";
import type { Exchange } from "../../../http/exchange.ts";
import type { HttpHandler } from "../../../http/handler.ts";
import { compileHeaderOperations } from "../../../http/header-operations.ts";
import { type ProxyConfig, proxySchema } from "./proxy-config.ts";
import { ProxyFailure } from "./proxy-error.ts";
import { upstreamRequestHeaders } from "./proxy-headers.ts";
import { isRepeatable, type RoundTripOptions, roundTrip } from "./round-trip.ts";
import { type SelectionPolicy, selectionPolicies } from "./selection-policy.ts";
import { openTunnel } from "./tunnel.ts";
import { parseDial, Upstream, upstreamPool } from "./upstream.ts";

const defaultTryIntervalMs = 250;

interface Member {
  readonly upstream: Upstream;
  readonly maxRequests: number;
}

/** What the tries of one request leave behind. */
interface TryState {
  readonly startedAt: number;
  tries: number;
  /** Upstreams that could not be dialed. */
  readonly unreachable: Set<Upstream>;
}

/** Hands requests to upstreams, and to others when these fail. Source: the public model (Caddy 2.11) */
class ReverseProxy implements HttpHandler {
  readonly #members: readonly Member[];
  readonly #policy: SelectionPolicy;
  readonly #retries: number;
  readonly #tryDurationMs: number;
  readonly #tryIntervalMs: number;
  readonly #failDurationMs: number;
  readonly #maxFails: number;
  readonly #changeRequest: ReturnType<typeof compileHeaderOperations> | undefined;
  readonly #changeResponse: ReturnType<typeof compileHeaderOperations> | undefined;

  constructor(config: ProxyConfig, members: readonly Member[], policy: SelectionPolicy) {
    this.#members = members;
    this.#policy = policy;
    this.#retries = config.load_balancing?.retries ?? 0;
    this.#tryDurationMs = config.load_balancing?.try_duration ?? 0;
    this.#tryIntervalMs = config.load_balancing?.try_interval ?? defaultTryIntervalMs;
    this.#failDurationMs = config.health_checks?.passive?.fail_duration ?? 0;
    this.#maxFails = config.health_checks?.passive?.max_fails ?? 1;
    const { request, response } = config.headers ?? {};
    this.#changeRequest = request ? compileHeaderOperations(request) : undefined;
    this.#changeResponse = response ? compileHeaderOperations(response) : undefined;
  }

  async handle(exchange: Exchange): Promise<void> {
    const changeResponse = this.#changeResponse;
    if (changeResponse !== undefined) {
      exchange.beforeHead((headers) => changeResponse(headers, exchange));
    }
    const state: TryState = { startedAt: performance.now(), tries: 0, unreachable: new Set() };
    for (;;) {
      state.tries++;
      let failure: ServerError;
      const upstream = this.#select(exchange, state);
      if (upstream === undefined) {
        failure = new ServerError("PROXY_NO_UPSTREAM", "no upstreams available");
      } else {
        try {
          await this.#try(exchange, upstream);
          return;
        } catch (error) {
          if (!(error instanceof ProxyFailure)) {
            throw error;
          }
          failure = error;
          if (error.stage === "dial") {
            state.unreachable.add(upstream);
          }
        }
      }
      const pauseMs = this.#pauseBeforeRetry(exchange, failure, state);
      if (pauseMs === undefined) {
        throw failure;
      }
      if (pauseMs > 0) {
        await pause(pauseMs);
      }
      if (exchange.ended) {
        throw new ServerError("CLIENT_GONE", "the client closed the connection");
      }
    }
  }

  /** Upstreams that cannot be dialed are passed over as long as there are others. */
  #select(exchange: Exchange, state: TryState): Upstream | undefined {
    const available = this.#members
      .filter(({ upstream, maxRequests }) => upstream.requests < maxRequests)
      .map(({ upstream }) => upstream)
      .filter((upstream) => this.#failDurationMs === 0 || upstream.fails < this.#maxFails);
    const untried = available.filter((upstream) => !state.unreachable.has(upstream));
    const candidates = untried.length > 0 ? untried : available;
    return candidates.length === 0 ? undefined : this.#policy.select(candidates, exchange);
  }

  /** @returns how long to wait before the next try; undefined when there is none */
  #pauseBeforeRetry(exchange: Exchange, failure: ServerError, state: TryState): number | undefined {
    const stage = failure instanceof ProxyFailure ? failure.stage : "dial";
    const reached = stage !== "dial" && !(stage === "sent" && isRepeatable(exchange));
    if (reached || exchange.headSent || exchange.ended || exchange.bodyTouched) {
      return undefined;
    }
    if (this.#retries === 0 && this.#tryDurationMs === 0) {
      return this.#unasked(failure, state) ? 0 : undefined;
    }
    if (this.#tryDurationMs > 0) {
      const left = this.#tryDurationMs - (performance.now() - state.startedAt);
      const mayRetry = left > this.#tryIntervalMs && (this.#retries === 0 || state.tries <= this.#retries);
      return mayRetry ? this.#tryIntervalMs : undefined;
    }
    return state.tries <= this.#retries ? this.#tryIntervalMs : undefined;
  }

  /**
   * Retries that nobody has to ask for, past the model: another upstream when one cannot be dialed (nothing was sent);
   * once more when a kept connection turned out to be dead under a request that is safe to repeat.
   */
  #unasked(failure: ServerError, state: TryState): boolean {
    if (!(failure instanceof ProxyFailure)) {
      return false;
    }
    if (failure.stage === "dial") {
      return this.#members.some(({ upstream }) => !state.unreachable.has(upstream));
    }
    return state.tries === 1;
  }

  async #try(exchange: Exchange, upstream: Upstream): Promise<void> {
    const upgrade = exchange.stream.upgradeProtocol;
    const headers = upstreamRequestHeaders(exchange, upgrade);
    const trace = exchange.trace?.startUpstream(upstream.address);
    trace?.inject(headers);
    this.#changeRequest?.(headers, exchange);
    let status = 0;
    const options: RoundTripOptions = {
      exchange,
      upstream,
      headers,
      onStatus: (received) => {
        status = received;
        upstream.answered();
      },
      onComplete: () => trace?.end(status),
    };
    upstream.begin();
    try {
      await (upgrade === "" ? roundTrip(options) : openTunnel(options));
    } catch (error) {
      trace?.end(error as Error);
      if (error instanceof ProxyFailure) {
        upstream.failed(error, this.#failDurationMs);
      }
      throw error;
    } finally {
      if (exchange.detached) {
        exchange.onEnd(() => upstream.end());
      } else {
        upstream.end();
      }
    }
  }
}

async function loadPolicy(config: ProxyConfig, context: ModuleContext): Promise<SelectionPolicy> {
  const policy = (config.load_balancing?.selection_policy ?? { policy: "random" }) as JsonValue;
  return context.loadInline(selectionPolicies, "policy", policy, "load_balancing/selection_policy");
}

export const reverseProxy = defineModule({
  id: "http.handlers.reverse_proxy",
  config: proxySchema,
  async provision(config, context): Promise<HttpHandler> {
    const members: Member[] = [];
    for (const { dial, max_requests } of config.upstreams ?? []) {
      parseDial(dial);
      const lease = await context.acquire(
        upstreamPool,
        dial,
        () => new Upstream(dial, context.log, context.processShared),
      );
      members.push({ upstream: lease.value, maxRequests: max_requests ?? Number.POSITIVE_INFINITY });
    }
    return new ReverseProxy(config, members, await loadPolicy(config, context));
  },
});
