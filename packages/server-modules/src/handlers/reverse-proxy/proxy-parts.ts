import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import type { Logger } from "lifecycle";
import type { IpRanges } from "server-core/net/ip-ranges";
import type { ResponseRule } from "../intercept/response-rule.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { FailureMemory } from "./failure-memory.ts";
import type { RetryRules } from "./retry-rules.ts";
import type { Transport } from "./transport/transport.ts";
import type { TunnelSet } from "./tunnel/tunnel-set.ts";
import type { UpstreamSet } from "./upstream-set.ts";
import type { UpstreamSource } from "./upstreams/upstream-source.ts";

export interface ProxyParts {
  /** Sends requests to upstreams: HTTP or FastCGI. */
  readonly transport: Transport;
  /** Upstreams of the config, with their health and selection. */
  readonly upstreams: UpstreamSet;
  /** Finds upstreams for each request; undefined when the config itself lists the upstreams. */
  readonly source: UpstreamSource | undefined;
  /** Excludes upstreams that fail too often; undefined without a circuit breaker. */
  readonly breaker: CircuitBreaker | undefined;
  /** Upgraded connections, which outlive their request. */
  readonly tunnels: TunnelSet;
  /** Decides how often, how long and for which requests an attempt is repeated. */
  readonly retries: RetryRules;
  /** Rules for responses (`handle_response`); the first matching rule handles the response. */
  readonly rules: readonly ResponseRule[];
  /** Changes method and URI of the upstream's request; undefined for no change. */
  readonly rewrite: ((exchange: Exchange) => void) | undefined;
  /** True when `rewrite` changes the method to a method without a body. */
  readonly dropsBody: boolean;
  /** Proxies whose `X-Forwarded-*` fields are passed on; undefined when no proxy is trusted. */
  readonly trusted: IpRanges | undefined;
  /** Bytes of a request body that are read before dialing; 0 streams the body. Only a buffered body can be retried. */
  readonly requestBufferBytes: number;
  /** Bytes of a response that are buffered before it is sent; 0: the response is streamed. */
  readonly responseBufferBytes: number;
  /**
   * Flush interval: maximum number of milliseconds that response bytes wait for more bytes; 0: bytes are sent
   * immediately.
   */
  readonly flushMs: number;
  /** Remembers failures for `fail_duration`. */
  readonly failures: FailureMemory;
  /** Response statuses that count as failures of the upstream. */
  readonly unhealthyStatus: readonly number[];
  /** Latency in milliseconds from which a response counts as a failure; Infinity: no limit. */
  readonly unhealthyLatencyMs: number;
  /** Name of this server in the field `Proxy-Status`; "": the field is not sent. */
  readonly proxyStatusName: string;
  /** Log of each attempt; undefined: attempts are not logged. */
  readonly log: Logger | undefined;
  /** Changes header fields of the upstream's request; undefined for no change. */
  readonly changeRequest: ((headers: HeaderList, exchange: Exchange) => void) | undefined;
  /** Changes header fields of the response; undefined for no change. */
  readonly changeResponse: ((status: number, headers: HeaderList, exchange: Exchange) => void) | undefined;
}
