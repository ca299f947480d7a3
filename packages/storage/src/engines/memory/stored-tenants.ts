import type { Span } from "wire/model";
import { dropOldest } from "./drop-oldest.ts";
import { StoredTraces } from "./stored-traces.ts";

/**
 * Maximum number of tokens that are remembered, as `WriteOptions.deduplicationToken` promises. Beyond it, the oldest
 * are forgotten.
 */
const tokenWindow = 10_000;

/**
 * Maximum number of tenants that are stored; beyond it, the oldest is dropped. The limit is needed because senders may
 * invent tenants when no list is configured.
 */
const maxTenants = 1_000;

export interface TenantSpan {
  readonly tenant: string;
  readonly span: Span;
}

/** The traces of the newest 1,000 tenants, ordered by arrival, and the tokens of the newest blocks. */
export class StoredTenants {
  readonly #maxTraces: number;
  readonly #tenants = new Map<string, StoredTraces>();
  readonly #tokens = new Set<string>();

  /** @param maxTraces limit of traces for each tenant */
  constructor(maxTraces: number) {
    this.#maxTraces = maxTraces;
  }

  /** Adds a block, unless a block with the same token was added before. */
  add(spans: readonly TenantSpan[], token: string): void {
    if (this.#tokens.has(token)) {
      return;
    }
    this.#tokens.add(token);
    dropOldest(this.#tokens, tokenWindow);
    for (const { tenant, span } of spans) {
      let traces = this.#tenants.get(tenant);
      if (traces === undefined) {
        traces = new StoredTraces(this.#maxTraces);
        this.#tenants.set(tenant, traces);
        dropOldest(this.#tenants, maxTenants);
      }
      traces.add(span);
    }
  }

  /** The traces of a tenant; an empty set for an unknown tenant. */
  tracesOf(tenant: string): StoredTraces {
    return this.#tenants.get(tenant) ?? new StoredTraces(0);
  }
}
