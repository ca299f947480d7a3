import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import type { Logger } from "lifecycle";
import type { IpRanges } from "server-core/net/ip-ranges";
import type { ResponseRule } from "../intercept/response-rules.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { FailureMemory } from "./failure-memory.ts";
import type { RetryRules } from "./retry-rules.ts";
import type { Transport } from "./transport/transport.ts";
import type { TunnelSet } from "./tunnel/tunnel-set.ts";
import type { UpstreamSet } from "./upstream-set.ts";
import type { UpstreamSource } from "./upstreams/upstream-source.ts";

/** The parts of a proxy. */
export interface ProxyParts {
  readonly transport: Transport;
  readonly upstreams: UpstreamSet;
  readonly source: UpstreamSource | undefined;
  readonly breaker: CircuitBreaker | undefined;
  readonly tunnels: TunnelSet;
  readonly retries: RetryRules;
  readonly rules: readonly ResponseRule[];
  readonly rewrite: ((exchange: Exchange) => void) | undefined;
  /** Whether `rewrite` makes of every request one that has no body. */
  readonly dropsBody: boolean;
  readonly trusted: IpRanges | undefined;
  readonly requestBufferBytes: number;
  readonly responseBufferBytes: number;
  /** How long bytes of a response may wait for more; 0: all goes out at once. */
  readonly flushMs: number;
  readonly failures: FailureMemory;
  readonly unhealthyStatus: readonly number[];
  readonly unhealthyLatencyMs: number;
  /** "" for none. */
  readonly proxyStatusName: string;
  /** Undefined: tries are not logged. */
  readonly log: Logger | undefined;
  readonly changeRequest: ((headers: HeaderList, exchange: Exchange) => void) | undefined;
  readonly changeResponse: ((status: number, headers: HeaderList, exchange: Exchange) => void) | undefined;
}
