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

/** The parts of a proxy. */
export interface ProxyParts {
  /** Speaks to upstreams: HTTP or FastCGI. */
  readonly transport: Transport;
  /** Upstreams of the config, with their health and selection. */
  readonly upstreams: UpstreamSet;
  /** Finds upstreams at each request; undefined where the config lists them. */
  readonly source: UpstreamSource | undefined;
  /** Leaves out upstreams that fail too often; undefined without one. */
  readonly breaker: CircuitBreaker | undefined;
  /** Upgraded connections, which outlive their request. */
  readonly tunnels: TunnelSet;
  /** How often, how long and for which requests another upstream is tried. */
  readonly retries: RetryRules;
  /** Rules for answers (`handle_response`); the first that matches takes the answer. */
  readonly rules: readonly ResponseRule[];
  /** Changes method and URI of the copy that goes upstream; undefined for no change. */
  readonly rewrite: ((exchange: Exchange) => void) | undefined;
  /** True when `rewrite` changes the method to one without a body. */
  readonly dropsBody: boolean;
  /** Proxies whose `X-Forwarded-*` fields are passed on; undefined for none. */
  readonly trusted: IpRanges | undefined;
  /** Bytes of a request body read before dialling; 0 streams it. Needed to retry a body. */
  readonly requestBufferBytes: number;
  /** Bytes of an answer read before it is sent; 0 streams it. */
  readonly responseBufferBytes: number;
  /** Flush interval in milliseconds: how long response bytes may wait for more; 0: sent immediately. */
  readonly flushMs: number;
  /** Remembers failures for `fail_duration`. */
  readonly failures: FailureMemory;
  /** Statuses of answers that count as failures of the upstream. */
  readonly unhealthyStatus: readonly number[];
  /** Milliseconds above which an answer counts as a failure; 0 for no limit. */
  readonly unhealthyLatencyMs: number;
  /** "" for none. */
  readonly proxyStatusName: string;
  /** Undefined: tries are not logged. */
  readonly log: Logger | undefined;
  /** Changes fields that go upstream; undefined for no change. */
  readonly changeRequest: ((headers: HeaderList, exchange: Exchange) => void) | undefined;
  /** Changes fields of the answer; undefined for no change. */
  readonly changeResponse: ((status: number, headers: HeaderList, exchange: Exchange) => void) | undefined;
}
