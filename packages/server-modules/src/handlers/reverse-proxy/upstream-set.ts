import { createHash } from "node:crypto";
import type { Exchange } from "http-engine/exchange";
import type { ModuleContext } from "server-core/modules/module-context";
import type { Lease } from "server-core/modules/usage-pool";
import { ActiveHealth } from "./active-health.ts";
import { Candidate } from "./candidate.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { ProxyConfig } from "./proxy-config.ts";
import type { SelectionPolicy } from "./selection-policy.ts";
import { Upstream, upstreamPool } from "./upstream.ts";

/** Milliseconds without use after which a dynamic upstream is forgotten. */
const forgetAfterMs = 60 * 60_000;
/** Milliseconds between checks for unused dynamic upstreams. */
const sweepMs = 60_000;

/** A dynamic upstream that a source returned. */
interface Dynamic {
  readonly candidate: Candidate;
  /** Keeps the shared counters of the upstream alive. */
  readonly lease: Lease<Upstream>;
  /** Time of the last use, on the clock of `performance.now()`. Unused upstreams are forgotten after an hour. */
  usedAt: number;
}

/** The upstreams of a handler, and the policy that chooses among them. */
interface UpstreamSetParts {
  /** Chooses one of the available upstreams. */
  readonly policy: SelectionPolicy;
  /** Excludes upstreams that fail too often; undefined without a circuit breaker. */
  readonly breaker: CircuitBreaker | undefined;
  /** Upstreams that the config lists. */
  readonly candidates: readonly Candidate[];
  /** Key of the active checks, which handlers with the same checks share; undefined without checks. */
  readonly check: string | undefined;
}

/**
 * The upstreams of one proxy, and their availability. An upstream is available when all these conditions are met:
 * - active checks report the upstream as up, or are not configured
 * - its running requests are fewer than `max_requests` and `unhealthy_request_count`
 * - its remembered failures are fewer than `max_fails`
 * - the circuit breaker is not open for its address
 */
export class UpstreamSet {
  /** Upstreams that the config lists, which are also used when a dynamic source fails. */
  readonly candidates: readonly Candidate[];
  readonly #context: ModuleContext;
  readonly #policy: SelectionPolicy;
  readonly #breaker: CircuitBreaker | undefined;
  /** Hash of the active checks and the transport; undefined without checks. */
  readonly #check: string | undefined;
  /** `max_fails`, at least 1; Infinity without passive checks. */
  readonly #maxFails: number;
  /** `unhealthy_request_count`; Infinity for 0. */
  readonly #maxRequests: number;
  /** True when no limit is configured, so that every upstream is always available. */
  readonly #unlimited: boolean;
  /** Dynamic upstreams by address. */
  readonly #dynamic = new Map<string, Dynamic>();
  /** Time of the last check for unused upstreams, on the clock of `performance.now()`. */
  #sweptAt = 0;

  private constructor(
    config: ProxyConfig,
    context: ModuleContext,
    { policy, breaker, candidates, check }: UpstreamSetParts,
  ) {
    const passive = config.health_checks?.passive;
    this.candidates = candidates;
    this.#context = context;
    this.#policy = policy;
    this.#breaker = breaker;
    this.#check = check;
    // The limit applies even without `fail_duration`, because failures that other proxies count for the address are
    // included.
    this.#maxFails = passive ? passive.max_fails || 1 : Number.POSITIVE_INFINITY;
    this.#maxRequests = passive?.unhealthy_request_count || Number.POSITIVE_INFINITY;
    this.#unlimited =
      breaker === undefined &&
      check === undefined &&
      !Number.isFinite(this.#maxFails) &&
      !Number.isFinite(this.#maxRequests) &&
      candidates.every(({ maxRequests }) => !Number.isFinite(maxRequests));
  }

  /** @throws ServerError MODULE_CONFIG, SHARED_FULL */
  static async load(
    config: ProxyConfig,
    context: ModuleContext,
    policy: SelectionPolicy,
    breaker: CircuitBreaker | undefined,
  ): Promise<UpstreamSet> {
    const active = config.health_checks?.active;
    const isChecked = active?.uri || active?.path || active?.port || active?.upstream;
    const check = isChecked
      ? createHash("sha256")
          .update(JSON.stringify([active, config.transport]))
          .digest("base64url")
          .slice(0, 12)
      : undefined;
    const candidates: Candidate[] = [];
    for (const [index, { dial, max_requests }] of (config.upstreams ?? []).entries()) {
      const lease = await UpstreamSet.#take(context, dial);
      const health = check === undefined ? undefined : new ActiveHealth(context.shared, check, dial);
      candidates.push(new Candidate(lease.value, index, max_requests || Number.POSITIVE_INFINITY, health));
    }
    return new UpstreamSet(config, context, { policy, breaker, candidates, check });
  }

  /** Acquires the shared counters of an address. The counters exist while any config uses the address. */
  static #take(context: ModuleContext, dial: string): Promise<Lease<Upstream>> {
    return context.acquire(upstreamPool, dial, () => new Upstream(dial, context.log, context.processShared));
  }

  /** True when active checks are configured. */
  get isChecked(): boolean {
    return this.#check !== undefined;
  }

  /** Adds addresses found by the dynamic source. @throws ServerError MODULE_CONFIG, SHARED_FULL */
  async dynamic(addresses: readonly string[]): Promise<Candidate[]> {
    const now = performance.now();
    const found: Candidate[] = [];
    for (const [index, address] of addresses.entries()) {
      let known = this.#dynamic.get(address);
      if (known === undefined) {
        const lease = await UpstreamSet.#take(this.#context, address);
        const candidate = new Candidate(lease.value, index, Number.POSITIVE_INFINITY, undefined);
        known = this.#dynamic.get(address) ?? { candidate, lease, usedAt: now };
        if (known.lease !== lease) {
          void lease.release();
        }
        this.#dynamic.set(address, known);
      }
      known.usedAt = now;
      found.push(known.candidate);
    }
    if (now - this.#sweptAt > sweepMs) {
      this.#sweptAt = now;
      for (const [address, { lease, usedAt, candidate }] of this.#dynamic) {
        if (now - usedAt > forgetAfterMs && candidate.requests === 0 && candidate.upstream.fails === 0) {
          this.#dynamic.delete(address);
          void lease.release();
        }
      }
    }
    return found;
  }

  /** @param failed upstreams whose dial failed; they are skipped while others are available */
  select(
    candidates: readonly Candidate[],
    exchange: Exchange,
    failed: ReadonlySet<Candidate> | undefined,
  ): Candidate | undefined {
    const available = this.#unlimited ? candidates : candidates.filter((each) => this.#isAvailable(each));
    let chosenFrom = available;
    if (failed !== undefined && failed.size > 0) {
      const untried = available.filter((each) => !failed.has(each));
      chosenFrom = untried.length > 0 ? untried : available;
    }
    return chosenFrom.length === 0 ? undefined : this.#policy.select(chosenFrom, exchange);
  }

  /** The shared counters are read only when a limit is set, because reading them is slow. */
  #isAvailable(candidate: Candidate): boolean {
    const { upstream, maxRequests, health } = candidate;
    const limit = Math.min(maxRequests, this.#maxRequests);
    return (
      health?.healthy !== false &&
      (!Number.isFinite(limit) || upstream.requests < limit) &&
      (!Number.isFinite(this.#maxFails) || upstream.fails < this.#maxFails) &&
      this.#breaker?.isOpen(candidate.address) !== true
    );
  }
}
