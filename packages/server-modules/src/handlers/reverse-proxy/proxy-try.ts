import type { Exchange } from "http-engine/exchange";
import type { RequestLine } from "http-engine/exchange-request";
import type { HeaderList } from "http-engine/header-list";
import type { UpstreamTrace } from "http-engine/request-trace";
import { findRule, statusFrom } from "../intercept/response-rule.ts";
import type { Candidate } from "./candidate.ts";
import { ProxyFailure, RetryableResponse } from "./proxy-error.ts";
import { type RequestHeaderOptions, upstreamRequestHeaders } from "./proxy-headers.ts";
import type { ProxyParts } from "./proxy-parts.ts";
import type { ProxyProgress } from "./proxy-placeholders.ts";
import { type HeadDecision, type HeldResponse, Relay, type RelayPlan, type RelayResult } from "./relay.ts";
import { isRepeatable, type RequestBody } from "./request-body.ts";
import type { DialAddress } from "./transport/dial-address.ts";
import type { Transport } from "./transport/transport.ts";
import type { TunnelSet } from "./tunnel/tunnel-set.ts";
import type { Upstream } from "./upstream.ts";
import { upstreamFields } from "./upstream-fields.ts";

/** State that all attempts of a request share. */
export interface Attempt {
  readonly exchange: Exchange;
  /** Number of attempts, times, and the latest error. */
  readonly progress: ProxyProgress;
  /** Method and target of the upstream's request. */
  readonly line: RequestLine;
  /** Body of the request. Only a buffered body can be sent twice. */
  readonly body: RequestBody;
  /** True once an attempt has connected to its upstream. */
  reached: boolean;
}

/** `Host` for an upstream. An HTTP/1.0 client may send no `Host`, but many upstreams refuse a request without it. */
function hostFor({ scheme }: Transport, { key, path }: DialAddress, asked: string): string {
  return scheme === "https" || (asked === "" && scheme === "http" && path === "") ? key : asked;
}

/**
 * One attempt of a request at one upstream. Counters that an attempt changes:
 * | When | Change |
 * |---|---|
 * | the attempt begins | the upstream's request count rises by one |
 * | the head arrives | upstream latency, the breaker's record, a failure for a bad status or a late head |
 * | the attempt ends without a failure | the request count falls by one; for a tunnel or routes, when these are done |
 * | the attempt fails | the upstream's last error; a failure unless the response had begun; the request count falls by one |
 */
export class ProxyTry implements RelayPlan {
  readonly exchange: Exchange;
  /** Counters of the upstream's address. */
  readonly upstream: Upstream;
  readonly #parts: ProxyParts;
  readonly #attempt: Attempt;
  readonly #candidate: Candidate;
  /** True when a different upstream could be tried. Then HTTP/2 does not wait for an upstream that refuses streams. */
  readonly #othersLeft: boolean;
  /** Settled once, by `ended` or `failed`. */
  readonly #result = Promise.withResolvers<HeldResponse | undefined>();
  /** Tracing span of this attempt; undefined without tracing. */
  #trace: UpstreamTrace | undefined;
  /** True when routes have taken over a held response and will report its outcome. */
  #handedOn = false;
  /** True once the upstream's request count was decremented, or another part will decrement it. */
  #released = false;

  /** @param othersLeft true when a different upstream could be tried */
  constructor(parts: ProxyParts, attempt: Attempt, candidate: Candidate, othersLeft: boolean) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#candidate = candidate;
    this.#othersLeft = othersLeft;
    this.exchange = attempt.exchange;
    this.upstream = candidate.upstream;
  }

  get tunnels(): TunnelSet {
    return this.#parts.tunnels;
  }

  get bufferBytes(): number {
    return this.#parts.responseBufferBytes;
  }

  get flushMs(): number {
    return this.#parts.flushMs;
  }

  /**
   * Sends the request and relays the response.
   * @returns a response about which routes decide; undefined once everything was relayed
   * @throws ProxyFailure, RetryableResponse; ServerError for a request that cannot be sent, or a client that disconnected
   */
  run(): Promise<HeldResponse | undefined> {
    const { exchange, upstream } = this;
    const { progress, line, body } = this.#attempt;
    const { transport, trusted, changeRequest } = this.#parts;
    const dial = this.#candidate.dial(exchange);
    progress.begin(this.#candidate, dial);
    const upgrade = exchange.stream.upgradeProtocol;
    const options: RequestHeaderOptions = {
      upgrade,
      trusted:
        exchange.server.isTrustedProxy?.(exchange) === true ||
        trusted?.contains(exchange.remoteAddress) === true,
      // Caddy's library removes `Expect` from HTTP/2 requests.
      expectContinue: transport.handsOnExpect === true || exchange.stream.version.startsWith("1"),
      hasBody: body.content !== undefined,
      host: hostFor(transport, dial, exchange.hostport),
    };
    const fields =
      exchange.trace === undefined && changeRequest === undefined
        ? upstreamFields(exchange, options, this.#parts)
        : { headers: this.#changedHeaders(options), wireText: undefined };
    upstream.begin();
    new Relay(this).run(transport, dial, {
      method: line.method,
      target: line.target.text,
      headers: fields.headers,
      wireText: fields.wireText,
      body: body.content,
      bodyLength: body.length,
      upgrade,
      othersLeft: this.#othersLeft,
      exchange,
    });
    return this.#result.promise;
  }

  /**
   * Builds the upstream's fields with the trace context and the configured changes. The fields differ for each request,
   * so they are not cached.
   */
  #changedHeaders(options: RequestHeaderOptions): HeaderList {
    const { exchange, upstream } = this;
    const headers = upstreamRequestHeaders(exchange, options);
    if (exchange.trace !== undefined) {
      this.#trace = exchange.trace.startUpstream(upstream.address);
      this.#trace.inject(headers);
    }
    this.#parts.changeRequest?.(headers, exchange);
    return headers;
  }

  // Called by the relay

  /**
   * Called when the head of the response has arrived. The order matters: first counters, because retries and rules read
   * them; then retries; then rules.
   */
  decide(status: number, headers: HeaderList): HeadDecision {
    const { exchange, upstream } = this;
    const { progress, body } = this.#attempt;
    const { unhealthyStatus, unhealthyLatencyMs, failures, breaker, retries, rules } = this.#parts;
    const latencyMs = performance.now() - progress.triedAt;
    progress.status = status;
    progress.headers = headers;
    progress.latencyMs = latencyMs;
    upstream.answered(latencyMs);
    breaker?.record(this.#candidate.address, status, latencyMs);
    if (
      latencyMs >= unhealthyLatencyMs ||
      (unhealthyStatus.length > 0 &&
        unhealthyStatus.some((each) => each === status || each === Math.floor(status / 100)))
    ) {
      failures.count(upstream);
    }
    if (retries.looksAtResponses) {
      const tries = { progress, repeatable: isRepeatable(body, exchange, true), othersLeft: false };
      if (retries.wantsOther(exchange, tries)) {
        return { kind: "retry" };
      }
    }
    const rule = rules.length === 0 ? undefined : findRule(rules, status, headers, exchange);
    if (rule?.routes !== undefined && status !== 101) {
      return { kind: "routes", rule };
    }
    return {
      kind: "relay",
      status: rule?.status === undefined ? status : statusFrom(rule.status, exchange, status),
    };
  }

  /**
   * Applies `headers.response` of the config. @returns true when the config has such changes: the fields must then be
   * checked again
   */
  changeHeaders(status: number, headers: HeaderList): boolean {
    const { changeResponse } = this.#parts;
    changeResponse?.(status, headers, this.exchange);
    return changeResponse !== undefined;
  }

  completed(status: number): void {
    this.#attempt.progress.endedAt = performance.now();
    this.#trace?.end(status);
    // This runs before the response ends, because the client's next pipelined request begins at that moment.
    this.#release();
  }

  /**
   * Called when the response was relayed, or when routes take it over. The result `retry` counts as a failure of the
   * attempt.
   */
  ended(result: RelayResult): void {
    if (result === "retry") {
      this.failed(new RetryableResponse(this.upstream, this.#attempt.progress.status ?? 0));
      return;
    }
    const held = result === "sent" ? undefined : result;
    this.#handedOn = held !== undefined;
    if (held !== undefined) {
      this.#attempt.progress.endedAt = performance.now(); // the end of the attempt, as routes see it
    }
    this.#release();
    this.#result.resolve(held);
  }

  /** Called instead of `ended`. After routes took over the response, the failure is reported only to the routes. */
  failed(error: Error): void {
    if (this.#handedOn) {
      return;
    }
    this.#trace?.end(error);
    if (error instanceof ProxyFailure) {
      this.upstream.failed(error);
      // As in Caddy, an upstream that sent a response head does not count as failed, even if its body is cut
      // off.
      if (error.stage !== "response") {
        this.#parts.failures.count(this.upstream);
      }
    }
    this.#release();
    this.#result.reject(error);
  }

  /** Decreases the upstream's request count, now or when the tunnel or the routes are done. */
  #release(): void {
    if (this.#released) {
      return;
    }
    this.#released = true;
    const { exchange, upstream } = this;
    if (this.#handedOn || exchange.detached) {
      exchange.onEnd(() => upstream.end());
    } else {
      upstream.end();
    }
  }
}
