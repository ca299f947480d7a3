import type { HttpHandler } from "http-engine/handler";
import { compileHeaderOperations } from "http-engine/header-operations";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule, type ModuleInstance, type ModuleNamespace } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { IpRanges } from "server-core/net/ip-ranges";
import { compileResponseMatcher } from "../../matchers/response-matcher.ts";
import { loadResponseRules } from "../intercept/response-rules.ts";
import { compileRewrite } from "../rewrite/compile-rewrite.ts";
import { circuitBreakers } from "./circuit-breaker.ts";
import { FailureMemory } from "./failure-memory.ts";
import { HealthChecker } from "./health/health-checker.ts";
import { type ProxyConfig, proxySchema } from "./proxy-config.ts";
import { ProxyHandler } from "./proxy-handler.ts";
import type { ProxyParts } from "./proxy-parts.ts";
import { RetryRules } from "./retry-rules.ts";
import { selectionPolicies } from "./selection-policy.ts";
import { transports } from "./transport/transport.ts";
import { TunnelSet } from "./tunnel/tunnel-set.ts";
import { upstreamDetailTopic, upstreamPool } from "./upstream.ts";
import { UpstreamSet } from "./upstream-set.ts";
import { upstreamSources } from "./upstreams/upstream-source.ts";

/** Ranges of `private_ranges`, as in Caddy. */
const privateRanges = ["192.168.0.0/16", "172.16.0.0/12", "10.0.0.0/8", "127.0.0.1/8", "fd00::/8", "::1"];

/** Compiles `headers` of the config. `require` limits the response changes by status and fields. */
function compileHeaders(config: ProxyConfig): Pick<ProxyParts, "changeRequest" | "changeResponse"> {
  const { request, response } = config.headers ?? {};
  const change = response ? compileHeaderOperations(response) : undefined;
  const required = response?.require ? compileResponseMatcher(response.require) : undefined;
  return {
    changeRequest: request ? compileHeaderOperations(request) : undefined,
    changeResponse:
      change === undefined
        ? undefined
        : (status, headers, exchange) => {
            if (required === undefined || required(status, headers, exchange)) {
              change(headers, exchange);
            }
          },
  };
}

/** Bytes of a buffer: -1 of the config becomes Infinity, absent becomes 0. */
function bytesOf(configured: number | null | undefined): number {
  return configured === -1 ? Number.POSITIVE_INFINITY : (configured ?? 0);
}

/** Ranges of `trusted_proxies`; undefined when it is empty, which saves the lookup for each request. */
function trustedOf({ trusted_proxies: given }: ProxyConfig): IpRanges | undefined {
  const ranges = (given ?? []).flatMap((each) => (each === "private_ranges" ? privateRanges : [each]));
  return ranges.length > 0 ? new IpRanges(ranges) : undefined;
}

async function loadParts(config: ProxyConfig, context: ModuleContext) {
  const { transport, load_balancing: balancing, circuit_breaker, dynamic_upstreams } = config;
  const load = <T extends ModuleInstance>(
    namespace: ModuleNamespace<T>,
    key: string,
    given: unknown,
    path: string,
  ) => context.loadInline(namespace, key, given as JsonValue, path);
  return {
    transport: await load(transports, "protocol", transport ?? { protocol: "http" }, "transport"),
    policy: await load(
      selectionPolicies,
      "policy",
      balancing?.selection_policy ?? { policy: "random" },
      "load_balancing/selection_policy",
    ),
    breaker: circuit_breaker
      ? await load(circuitBreakers, "type", circuit_breaker, "circuit_breaker")
      : undefined,
    source: dynamic_upstreams
      ? await load(upstreamSources, "source", dynamic_upstreams, "dynamic_upstreams")
      : undefined,
  };
}

/** Forwards requests to upstreams. Source: Caddy 2.11 */
export const reverseProxy = defineModule({
  id: "http.handlers.reverse_proxy",
  config: proxySchema,
  async provision(config, context): Promise<HttpHandler> {
    const { transport, policy, breaker, source } = await loadParts(config, context);
    const upstreams = await UpstreamSet.load(config, context, policy, breaker);
    const { active, passive } = config.health_checks ?? {};
    const checker =
      active && upstreams.isChecked
        ? new HealthChecker(active, transport, context.log, (name, data) => context.emit(name, data))
        : undefined;
    if (passive?.unhealthy_latency && !passive.fail_duration) {
      context.log.warn(`${context.path}: unhealthy_latency counts nothing without fail_duration`);
    }
    const tunnels = new TunnelSet({
      timeoutMs: config.stream_timeout ?? 0,
      closeDelayMs: config.stream_close_delay || undefined,
      bufferBytes: Math.max(config.stream_buffer_size ?? 0, 0),
    });
    const failures = new FailureMemory(passive?.fail_duration ?? 0);
    const handler = new ProxyHandler({
      transport,
      upstreams,
      source,
      breaker,
      tunnels,
      retries: await RetryRules.load(config.load_balancing, context),
      rules: await loadResponseRules(config.handle_response ?? [], context),
      rewrite: config.rewrite ? compileRewrite(config.rewrite) : undefined,
      dropsBody: /^(?:get|head)$/i.test(config.rewrite?.method ?? ""),
      trusted: trustedOf(config),
      requestBufferBytes: bytesOf(config.request_buffers),
      responseBufferBytes: bytesOf(config.response_buffers),
      flushMs: Math.max(0, config.flush_interval ?? 0),
      failures,
      unhealthyStatus: passive?.unhealthy_status ?? [],
      unhealthyLatencyMs: passive?.unhealthy_latency || Number.POSITIVE_INFINITY,
      proxyStatusName: config.proxy_status_name ?? "",
      log: config.verbose_logs ? context.log : undefined,
      ...compileHeaders(config),
    });
    context.messages.on(upstreamDetailTopic, () =>
      context.resources(upstreamPool).map(({ detail }) => detail),
    );
    checker?.start(() => upstreams.candidates);
    return {
      // Routes for a response may continue with the next handler, as in `forward_auth`.
      inRehearsal: config.handle_response?.length ? "may answer" : "answers",
      handle: (exchange, next) => handler.handle(exchange, next),
      close() {
        checker?.close();
        failures.close();
        tunnels.close();
      },
    };
  },
});
