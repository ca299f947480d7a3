import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "../../../core/errors.ts";
import type { Exchange } from "../../../http/exchange.ts";
import type { RequestLine } from "../../../http/exchange-request.ts";
import type { HttpHandler, Next } from "../../../http/handler.ts";
import type { HeaderList } from "../../../http/header-list.ts";
import { HttpError } from "../../../http/http-error.ts";
import type { IpRanges } from "../../matchers/ip-ranges.ts";
import { findRule, type ResponseRule, statusFrom } from "../response-rules.ts";
import type { Candidate } from "./candidate.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { ProxyFailure, RetryableResponse } from "./proxy-error.ts";
import { upstreamRequestHeaders } from "./proxy-headers.ts";
import { ProxyProgress } from "./proxy-placeholders.ts";
import { type HeadDecision, type HeldResponse, Relay } from "./relay.ts";
import { bufferBody, isRepeatable, type RequestBody, requestBody } from "./request-body.ts";
import { setHeldResponse } from "./response/held-responses.ts";
import { isTryFailure, type RetryRules } from "./retry-rules.ts";
import type { Transport } from "./transport/transport.ts";
import type { TunnelSet } from "./tunnel.ts";
import type { UpstreamSet } from "./upstream-set.ts";
import type { UpstreamSource } from "./upstreams/upstream-source.ts";

/** What a proxy is made of. */
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
  readonly failDurationMs: number;
  readonly unhealthyStatus: readonly number[];
  readonly unhealthyLatencyMs: number;
  /** "" for none. */
  readonly proxyStatusName: string;
  /** Undefined: tries are not logged. */
  readonly log: Logger | undefined;
  readonly changeRequest: ((headers: HeaderList, exchange: Exchange) => void) | undefined;
  readonly changeResponse: ((status: number, headers: HeaderList, exchange: Exchange) => void) | undefined;
}

/** What stays the same over the tries of one request. */
interface Attempt {
  readonly exchange: Exchange;
  readonly progress: ProxyProgress;
  readonly line: RequestLine;
  readonly body: RequestBody;
}

/** Hands requests to upstreams, and to others when these fail. Source: the public model (Caddy 2.11) */
export class ProxyHandler implements HttpHandler {
  readonly #parts: ProxyParts;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  async handle(exchange: Exchange, next: Next): Promise<void> {
    const { requestBufferBytes, dropsBody } = this.#parts;
    const progress = new ProxyProgress();
    exchange.proxied = progress;
    const line = this.#requestLine(exchange);
    let body = dropsBody ? { content: undefined, length: undefined } : requestBody(exchange);
    if (requestBufferBytes > 0 || (this.#parts.transport.needsLength === true && body.length === undefined)) {
      body = await bufferBody(body, requestBufferBytes || Number.POSITIVE_INFINITY);
    }
    let held: HeldResponse | undefined;
    try {
      held = await this.#tryUntilDone({ exchange, progress, line, body });
    } catch (error) {
      this.#tellStatus(exchange, error);
      throw error;
    } finally {
      progress.totalMs = performance.now() - progress.startedAt;
    }
    if (held !== undefined) {
      await this.#runRule(exchange, held, next);
    }
  }

  /** The request line for upstreams; that of the exchange stays. */
  #requestLine(exchange: Exchange): RequestLine {
    const before = { method: exchange.method, rawPath: exchange.rawPath, query: exchange.query };
    const { rewrite } = this.#parts;
    if (rewrite === undefined) {
      return before;
    }
    rewrite(exchange);
    const line = { method: exchange.method, rawPath: exchange.rawPath, query: exchange.query };
    exchange.rewrite(before);
    return line;
  }

  async #tryUntilDone(attempt: Attempt): Promise<HeldResponse | undefined> {
    const { exchange, progress, body } = attempt;
    const { upstreams, retries, log } = this.#parts;
    let failed: Set<Candidate> | undefined;
    for (;;) {
      let failure: Error;
      const candidates = await this.#candidates(exchange, progress.retries > 0);
      const candidate = upstreams.select(candidates, exchange, failed);
      if (candidate === undefined) {
        failure = new ServerError("PROXY_NO_UPSTREAM", "no upstreams available");
      } else {
        try {
          return await this.#try(attempt, candidate);
        } catch (error) {
          if (!isTryFailure(error)) {
            throw error;
          }
          failure = error;
          if (error instanceof ProxyFailure && error.stage === "dial") {
            failed ??= new Set();
            failed.add(candidate);
          }
        }
      }
      const unreachable = failed;
      const pauseMs = retries.pauseBefore(exchange, failure, {
        progress,
        repeatable: isRepeatable(body) || !exchange.bodyTouched,
        othersLeft: candidates.some((each) => unreachable?.has(each) !== true),
      });
      log?.debug(
        `${exchange.method} ${exchange.target}: ${messageOf(failure)}${pauseMs === undefined ? "" : ", again"}`,
      );
      if (pauseMs === undefined) {
        throw failure;
      }
      if (pauseMs > 0) {
        await pause(pauseMs);
      }
      if (exchange.ended) {
        throw new ServerError("CLIENT_GONE", "the client closed the connection");
      }
      progress.retries++;
    }
  }

  async #candidates(exchange: Exchange, again: boolean): Promise<readonly Candidate[]> {
    const { source, upstreams } = this.#parts;
    if (source === undefined) {
      return upstreams.candidates;
    }
    try {
      return await upstreams.dynamic(await source.find(exchange, again));
    } catch (error) {
      this.#parts.log?.debug(`dynamic_upstreams: ${messageOf(error)}`);
      return upstreams.candidates;
    }
  }

  async #try(attempt: Attempt, candidate: Candidate): Promise<HeldResponse | undefined> {
    const { exchange, progress, line, body } = attempt;
    const { transport } = this.#parts;
    const { upstream } = candidate;
    const dial = candidate.dial(exchange);
    progress.candidate = candidate;
    progress.dial = dial;
    progress.triedAt = performance.now();
    const headers = upstreamRequestHeaders(exchange, {
      upgrade: exchange.stream.upgradeProtocol,
      trusted:
        exchange.server.isTrustedProxy?.(exchange) === true ||
        this.#parts.trusted?.contains(exchange.remoteAddress) === true,
      expectContinue: transport.handsOnExpect === true,
      hasBody: body.content !== undefined,
      host: transport.scheme === "https" ? dial.key : exchange.hostport,
    });
    const trace = exchange.trace?.startUpstream(upstream.address);
    trace?.inject(headers);
    this.#parts.changeRequest?.(headers, exchange);
    const relay = new Relay({
      exchange,
      upstream,
      tunnels: this.#parts.tunnels,
      bufferBytes: this.#parts.responseBufferBytes,
      decide: (status, fields) => this.#decide(attempt, candidate, status, fields),
      changeHeaders: (status, fields) => this.#parts.changeResponse?.(status, fields, exchange),
      completed: (status) => {
        progress.durationMs = performance.now() - progress.triedAt;
        trace?.end(status);
      },
    });
    upstream.begin();
    let held: HeldResponse | undefined;
    try {
      const result = await relay.run((receiver) =>
        transport.call(
          dial,
          {
            method: line.method,
            target: line.rawPath + line.query,
            headers,
            body: body.content,
            bodyLength: body.length,
            upgrade: exchange.stream.upgradeProtocol,
            exchange,
          },
          receiver,
        ),
      );
      if (result === "retry") {
        throw new RetryableResponse(upstream, progress.status ?? 0);
      }
      held = result === "sent" ? undefined : result;
      return held;
    } catch (error) {
      trace?.end(error as Error);
      if (error instanceof ProxyFailure) {
        upstream.failed(error);
        upstream.countFailure(this.#parts.failDurationMs);
      }
      throw error;
    } finally {
      if (exchange.detached || held !== undefined) {
        exchange.onEnd(() => upstream.end());
      } else {
        upstream.end();
      }
    }
  }

  #decide(attempt: Attempt, candidate: Candidate, status: number, headers: HeaderList): HeadDecision {
    const { exchange, progress, body } = attempt;
    const { upstream } = candidate;
    const latencyMs = performance.now() - progress.triedAt;
    const { unhealthyStatus, unhealthyLatencyMs, failDurationMs, breaker, retries, rules } = this.#parts;
    progress.status = status;
    progress.headers = headers;
    progress.latencyMs = latencyMs;
    upstream.answered(latencyMs);
    breaker?.record(candidate.address, status, latencyMs);
    const isBad = (each: number) => each === status || each === Math.floor(status / 100);
    if (latencyMs >= unhealthyLatencyMs || (unhealthyStatus.length > 0 && unhealthyStatus.some(isBad))) {
      upstream.countFailure(failDurationMs);
    }
    if (retries.looksAtResponses) {
      const tries = { progress, repeatable: isRepeatable(body) || !exchange.bodyTouched, othersLeft: false };
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

  async #runRule(exchange: Exchange, held: HeldResponse, next: Next): Promise<void> {
    const before = setHeldResponse(exchange, held);
    try {
      await held.rule.routes?.run(exchange, next);
    } finally {
      held.drop();
      setHeldResponse(exchange, before);
    }
  }

  /** Says in the answer which part failed. Source: RFC 9209 */
  #tellStatus(exchange: Exchange, error: unknown): void {
    const { proxyStatusName } = this.#parts;
    if (proxyStatusName !== "" && error instanceof HttpError && !exchange.headSent) {
      const kind = error instanceof ProxyFailure ? error.statusKind : "proxy_internal_response";
      const name = /^[A-Za-z*][\w.:%*/!#$&'+^`|~-]*$/.test(proxyStatusName)
        ? proxyStatusName
        : JSON.stringify(proxyStatusName);
      exchange.responseHeaders.push("Proxy-Status", `${name}; error=${kind}`);
    }
  }
}
