import { setTimeout as pause } from "node:timers/promises";
import type { Exchange } from "http-engine/exchange";
import type { RequestLine } from "http-engine/exchange-request";
import type { HttpHandler, Next } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { messageOf, ServerError } from "server-core/errors";
import type { Candidate } from "./candidate.ts";
import { ProxyFailure } from "./proxy-error.ts";
import type { ProxyParts } from "./proxy-parts.ts";
import { ProxyProgress } from "./proxy-placeholders.ts";
import { type Attempt, ProxyTry } from "./proxy-try.ts";
import type { HeldResponse } from "./relay.ts";
import { bufferBody, isRepeatable, type RequestBody, requestBody } from "./request-body.ts";
import { setHeldResponse } from "./response/held-responses.ts";
import { isTryFailure } from "./retry-rules.ts";
import type { UpstreamSource } from "./upstreams/upstream-source.ts";

/** Body of a request whose method is rewritten to GET or HEAD. */
const noBody: RequestBody = { content: undefined, length: undefined };

/** The upstream of a failed attempt, and the candidates at that time. */
interface FailedChoice {
  /** The chosen upstream; undefined when no upstream was available. */
  readonly candidate: Candidate | undefined;
  /** Candidates of this attempt. */
  readonly candidates: readonly Candidate[];
  /** Candidates whose dial has failed; undefined when no dial failed. */
  readonly unreachable: ReadonlySet<Candidate> | undefined;
}

/**
 * Forwards requests to upstreams, and to a different upstream after a failure. The steps of a request:
 * 1. The request line is rewritten for the upstream. The body is buffered if the config or the transport requires it.
 * 2. The upstreams are determined: from the config, or from the dynamic source. If the source fails, the config's
 * upstreams are used.
 * 3. The policy chooses an upstream. {@link ProxyTry} sends the request and relays the response.
 * 4. After a failure, the retry rules end the request, or return the time to wait before step 2 starts again.
 * 5. A response that a rule of `handle_response` matches goes to the routes of that rule.
 *
 * Source: Caddy 2.11
 */
export class ProxyHandler implements HttpHandler {
  readonly #parts: ProxyParts;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the response was relayed, or when the routes of a held response are done.
   * @throws ServerError PROXY_NO_UPSTREAM (503); ProxyFailure (502, 504); CLIENT_GONE
   */
  async handle(exchange: Exchange, next: Next): Promise<void> {
    const { upstreams, source } = this.#parts;
    const progress = new ProxyProgress();
    exchange.proxied = progress;
    const line = this.#requestLine(exchange);
    let body: RequestBody = this.#parts.dropsBody ? noBody : requestBody(exchange);
    if (this.#isBuffered(body)) {
      body = await bufferBody(body, this.#parts.requestBufferBytes || Number.POSITIVE_INFINITY);
    }
    const attempt: Attempt = { exchange, progress, line, body, reached: false };
    let failed: Set<Candidate> | undefined;
    let held: HeldResponse | undefined;
    let lastFailure: unknown;
    try {
      for (;;) {
        const candidates =
          source === undefined ? upstreams.candidates : await this.#candidates(source, attempt);
        const candidate = upstreams.select(candidates, exchange, failed);
        try {
          if (candidate === undefined) {
            throw new ServerError("PROXY_NO_UPSTREAM", "no upstreams available");
          }
          const othersLeft = candidates.length - (failed?.size ?? 0) > 1;
          held = await new ProxyTry(this.#parts, attempt, candidate, othersLeft).run();
          break;
        } catch (error) {
          lastFailure = candidate === undefined ? (lastFailure ?? error) : error;
          if (candidate !== undefined && error instanceof ProxyFailure && error.stage === "dial") {
            failed ??= new Set();
            failed.add(candidate);
          } else if (candidate !== undefined) {
            attempt.reached = true;
          }
          await this.#beforeNext(attempt, error, { candidate, candidates, unreachable: failed });
        }
      }
    } catch (error) {
      // The error "no upstream left" only ends the retries; the client gets the error of the last attempt.
      const isNoneLeft = error instanceof ServerError && error.code === "PROXY_NO_UPSTREAM";
      const failure = isNoneLeft ? (lastFailure ?? error) : error;
      progress.endedAt = performance.now();
      this.#tellStatus(exchange, failure);
      throw failure;
    }
    if (held !== undefined) {
      await this.#runRule(exchange, held, next);
    }
  }

  /** FastCGI needs the body length before the body. Therefore a body of unknown length is read completely. */
  #isBuffered(body: RequestBody): boolean {
    const { requestBufferBytes, transport } = this.#parts;
    return requestBufferBytes > 0 || (transport.needsLength === true && body.length === undefined);
  }

  /** Writes the request line for upstreams. The exchange itself stays unchanged. */
  #requestLine(exchange: Exchange): RequestLine {
    const before = exchange.line;
    const { rewrite } = this.#parts;
    if (rewrite === undefined) {
      return before;
    }
    rewrite(exchange);
    const { line } = exchange;
    exchange.rewrite(before);
    return line;
  }

  /**
   * Called after a failed attempt: waits until the next attempt may begin.
   * @throws `error` after the last attempt
   */
  async #beforeNext(
    { exchange, progress, body, reached }: Attempt,
    error: unknown,
    { candidate, candidates, unreachable }: FailedChoice,
  ): Promise<void> {
    if (candidate !== undefined && !isTryFailure(error)) {
      throw error;
    }
    const { retries, log } = this.#parts;
    const pauseMs = retries.pauseBefore(exchange, error as Error, {
      progress,
      repeatable: isRepeatable(body, exchange, reached),
      othersLeft: candidates.some((each) => unreachable?.has(each) !== true),
    });
    log?.debug(
      `${exchange.method} ${exchange.target}: ${messageOf(error)}${pauseMs === undefined ? "" : ", again"}`,
    );
    if (pauseMs === undefined) {
      throw error;
    }
    if (pauseMs > 0) {
      await pause(pauseMs);
    }
    if (exchange.ended) {
      throw new ServerError("CLIENT_GONE", "the client closed the connection");
    }
    progress.retries++;
  }

  /** Upstreams of the dynamic source. From the second attempt on, the source is asked to refresh its upstreams. */
  async #candidates(source: UpstreamSource, { exchange, progress }: Attempt): Promise<readonly Candidate[]> {
    const { upstreams } = this.#parts;
    try {
      return await upstreams.dynamic(await source.find(exchange, progress.retries > 0));
    } catch (error) {
      this.#parts.log?.debug(`dynamic_upstreams: ${messageOf(error)}`);
      return upstreams.candidates;
    }
  }

  /**
   * Runs the routes. `copy_response` can send the held response. If no route sends it, the response and its connection
   * are dropped.
   */
  async #runRule(exchange: Exchange, held: HeldResponse, next: Next): Promise<void> {
    const before = setHeldResponse(exchange, held);
    try {
      await held.rule.routes?.run(exchange, next);
    } finally {
      held.drop();
      setHeldResponse(exchange, before);
    }
  }

  /** Adds `Proxy-Status`, which names the failed part. Source: RFC 9209 */
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
