import type { Exchange } from "http-engine/exchange";
import { type HttpMatcher, httpMatchers } from "http-engine/handler";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleContext } from "server-core/modules/module-context";
import type { ProxyConfig } from "./proxy-config.ts";
import { ProxyFailure, RetryableResponse } from "./proxy-error.ts";
import type { ProxyProgress } from "./proxy-placeholders.ts";

/** Default pause between attempts, in milliseconds. Source: Caddy 2.11 */
const defaultTryIntervalMs = 250;

/** Methods that may be sent again after an upstream may have seen them. Source: RFC 9110, section 9.2.1 */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** One entry of `retry_match`. A request matches the list when at least one entry matches. */
interface MatcherSet {
  /** Matchers that must all match. */
  readonly matchers: readonly HttpMatcher[];
  /** True when an expression of the set uses the response. */
  readonly looksAtResponse: boolean;
}

/**
 * A matcher that throws (`file` with `=404`) counts as no match, because the client must get the failure of the
 * attempt.
 */
function isMatch(set: MatcherSet, exchange: Exchange): boolean {
  try {
    return set.matchers.every((matcher) => matcher.matches(exchange));
  } catch {
    return false;
  }
}

/** Facts about the attempts until now. */
export interface TriesSoFar {
  /** Number of attempts, and times. */
  readonly progress: ProxyProgress;
  /** True when the whole request can be sent again. */
  readonly repeatable: boolean;
  /** True when an upstream remains whose dial has not failed. */
  readonly othersLeft: boolean;
}

/**
 * Decides when a failed request is tried again.
 * | Failure | Without settings | With `retries` or `try_duration` |
 * |---|---|---|
 * | no upstream available | fails | waits, then tries again |
 * | dial failed | a different upstream, immediately, if an untried upstream is left | tries again |
 * | connection lost before the response began | fails | tries again if the method is safe, or if `retry_match` matches |
 * | response matched `retry_match` | relayed | tries again |
 * | response began and was cut off | fails | fails |
 * | part of the response is sent, or the client disconnected | fails | fails |
 *
 * A further attempt also requires a body that can be sent again: no body, a buffered body, or an unread body.
 *
 * Independently of these rules, a transport may send a call again, which is not counted as an attempt. It does so for a
 * call that the upstream surely did not process, and for a replayable call whose kept connection closes before the
 * response: see `isReplayable`, `#lost` of `H1ClientConnection` and `#broken` of `H2Call`.
 * Source: Caddy 2.11, load_balancing
 */
export class RetryRules {
  /** `retries`; 0 means no limit if `try_duration` is set. */
  readonly #retries: number;
  /** `try_duration` in milliseconds, counted from the start of the request; 0: no limit if `retries` is set. */
  readonly #tryDurationMs: number;
  /** `try_interval` in milliseconds. */
  readonly #tryIntervalMs: number;
  /** `retry_match`; empty for the default rule. */
  readonly #sets: readonly MatcherSet[];
  /** True when an entry of `retry_match` uses the response. */
  readonly looksAtResponses: boolean;

  private constructor(config: ProxyConfig["load_balancing"], sets: readonly MatcherSet[]) {
    this.#retries = config?.retries ?? 0;
    this.#tryDurationMs = config?.try_duration ?? 0;
    this.#tryIntervalMs = config?.try_interval ?? defaultTryIntervalMs;
    this.#sets = sets;
    this.looksAtResponses = sets.some((set) => set.looksAtResponse);
  }

  /** @throws ServerError of the matchers */
  static async load(config: ProxyConfig["load_balancing"], context: ModuleContext): Promise<RetryRules> {
    const sets: MatcherSet[] = [];
    for (const [position, modules] of (config?.retry_match ?? []).entries()) {
      const matchers: HttpMatcher[] = [];
      for (const [name, matcher] of Object.entries(modules)) {
        const path = `load_balancing/retry_match/${position}/${name}`;
        matchers.push(await context.load(httpMatchers, name, matcher as JsonValue, path));
      }
      const text = JSON.stringify(modules.expression ?? "");
      sets.push({
        matchers,
        looksAtResponse: /\{(?:http\.reverse_proxy|rp)\.(?:status_code|header\.)/.test(text),
      });
    }
    return new RetryRules(config, sets);
  }

  /** True when the config enables retries. */
  get #asked(): boolean {
    return this.#retries > 0 || this.#tryDurationMs > 0;
  }

  /** True when the response matches `retry_match` and another attempt is allowed. */
  wantsOther(exchange: Exchange, tries: TriesSoFar): boolean {
    return (
      this.looksAtResponses &&
      tries.repeatable &&
      this.#left(tries.progress) &&
      this.#sets.some((set) => set.looksAtResponse && isMatch(set, exchange))
    );
  }

  /** @returns milliseconds to wait before the next attempt; undefined when no attempt is allowed */
  pauseBefore(exchange: Exchange, failure: Error, tries: TriesSoFar): number | undefined {
    const seen = failure instanceof ProxyFailure && failure.stage !== "dial";
    if (
      exchange.headSent ||
      exchange.ended ||
      (failure instanceof ProxyFailure && failure.stage === "response")
    ) {
      return undefined;
    }
    if (!tries.repeatable || (seen && !this.#mayRepeat(exchange, tries.progress))) {
      return undefined;
    }
    if (this.#asked) {
      return this.#left(tries.progress) ? this.#tryIntervalMs : undefined;
    }
    // Unlike Caddy, a refused dial is retried on another upstream without any setting, because nothing was sent. A
    // dial that timed out is not retried.
    const isUnreached = failure instanceof ProxyFailure && failure.stage === "dial" && !failure.timedOut;
    return isUnreached && tries.othersLeft ? 0 : undefined;
  }

  /**
   * True when the number of attempts and the elapsed time allow a new attempt. The pause counts as spent, so an attempt
   * never begins after the end of `try_duration`.
   */
  #left(progress: ProxyProgress): boolean {
    const inTime =
      this.#tryDurationMs === 0 ||
      performance.now() - progress.startedAt + this.#tryIntervalMs < this.#tryDurationMs;
    return this.#asked && inTime && (this.#retries === 0 || progress.retries < this.#retries);
  }

  /** True when a request that an upstream may have seen may be sent again. */
  #mayRepeat(exchange: Exchange, progress: ProxyProgress): boolean {
    if (this.#sets.length === 0) {
      return safeMethods.has(exchange.method);
    }
    progress.isTransportError = true;
    const matches = this.#sets.some((set) => isMatch(set, exchange));
    progress.isTransportError = false;
    return matches;
  }
}

/** True for a failure that a new attempt may avoid. */
export function isTryFailure(error: unknown): error is ProxyFailure | RetryableResponse {
  return error instanceof ProxyFailure || error instanceof RetryableResponse;
}
