import type { Operation, ReadOptions, SpanReader } from "storage/api";
import { refusePartial } from "storage/asked-time";
import { type PartialReason, PartialReasons } from "storage/partial-answer";
import type { SpanKind } from "wire/model";
import { NameCache } from "./name-cache.ts";
import type { ReadOperation } from "./query-metrics.ts";
import type { StoreReads } from "./store-reads.ts";

/** A request for names. */
interface NameQuestion<T> {
  /** Cache of the answers. */
  readonly lists: NameCache<T>;
  /** Name of the read, for its metrics. */
  readonly operation: ReadOperation;
  /** Identifies the request, together with tenant and token. */
  readonly key: readonly string[];
}

/** Names of services and operations, cached briefly, because pages and dashboards request them often. */
export class NameService {
  readonly #reader: SpanReader;
  readonly #reads: StoreReads;
  readonly #services: NameCache<string>;
  readonly #operations: NameCache<Operation>;
  /**
   * Reasons of partial lists. Callers that share a request share its answer, and partial lists are not
   * cached.
   */
  readonly #reasons = new WeakMap<readonly unknown[], readonly PartialReason[]>();

  /** @param maxAgeMs maximum age of a cached answer in milliseconds; 0 disables the cache */
  constructor(reader: SpanReader, reads: StoreReads, maxAgeMs: number) {
    this.#reader = reader;
    this.#reads = reads;
    const isToKeep = (list: readonly unknown[]) => !this.#reasons.has(list);
    this.#services = new NameCache({ maxAgeMs, isToKeep });
    this.#operations = new NameCache({ maxAgeMs, isToKeep });
  }

  /** Names of services, sorted. */
  getServices(options: ReadOptions): Promise<readonly string[]> {
    const question = { lists: this.#services, operation: "get_services", key: [] } as const;
    return this.#get(question, options, (read) => this.#reader.getServices(read));
  }

  /** Operations, sorted by name, then kind. @param spanKind returns operations of this kind only */
  getOperations(
    service: string,
    spanKind: SpanKind | undefined,
    options: ReadOptions,
  ): Promise<readonly Operation[]> {
    const query = spanKind === undefined ? { service } : { service, spanKind };
    const key = [service, spanKind ?? ""];
    const question = { lists: this.#operations, operation: "get_operations", key } as const;
    return this.#get(question, options, (read) => this.#reader.getOperations(query, read));
  }

  /** The list from the cache, or from the store. @param read reads the store with the given options */
  async #get<T>(
    { lists, operation, key }: NameQuestion<T>,
    options: ReadOptions,
    read: (options: ReadOptions) => Promise<T[]>,
  ): Promise<readonly T[]> {
    const { tenant = "", bearerToken = "", signal, onPartial = refusePartial } = options;
    let hasAsked = false;
    const found = await lists.get(JSON.stringify([tenant, bearerToken, ...key]), signal, async (shared) => {
      hasAsked = true;
      // All waiting callers share the request, so the request must not use the gate place of one caller.
      const { signal: _own, ...rest } = { ...options, hasPlace: false };
      const { add, of } = reasonsOfNames();
      const asked = { ...rest, onPartial: add, ...(shared === undefined ? {} : { signal: shared }) };
      const list = await this.#reads.list(operation, asked, () => read(asked));
      const reasons = of(list);
      if (reasons.length > 0) {
        this.#reasons.set(list, reasons);
      }
      return list;
    });
    for (const reason of this.#reasons.get(found) ?? []) {
      onPartial(reason);
    }
    if (!hasAsked) {
      this.#reads.fromMemory(operation, found.length);
    }
    return found;
  }
}

/**
 * Matches the table of operations, from which all names come. The table of spans only tells which days exist, so its
 * damaged parts matter only for an empty list.
 */
const tableOfNames = /\.operations( |$)/;

function reasonsOfNames() {
  const all = new PartialReasons();
  return {
    add: all.add,
    of: (list: readonly unknown[]) =>
      (all.partial?.reasons ?? []).filter(
        ({ kind, name }) => kind !== "part-damaged" || list.length === 0 || tableOfNames.test(name),
      ),
  };
}
