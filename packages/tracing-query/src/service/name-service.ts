import type { Operation, ReadOptions, SpanReader } from "storage/api";
import type { SpanKind } from "wire/model";
import { KeptLists } from "./kept-lists.ts";
import type { ReadOperation } from "./query-metrics.ts";
import type { StoreReads } from "./store-reads.ts";

/** Names of services and operations, which pages and dashboards ask for again and again: kept for a moment. */
export class NameService {
  readonly #reader: SpanReader;
  readonly #reads: StoreReads;
  readonly #services: KeptLists<string>;
  readonly #operations: KeptLists<Operation>;

  /** @param maxAgeMs how old an answer may be that is given from memory, in milliseconds; 0: the store is always asked */
  constructor(reader: SpanReader, reads: StoreReads, maxAgeMs: number) {
    this.#reader = reader;
    this.#reads = reads;
    this.#services = new KeptLists({ maxAgeMs });
    this.#operations = new KeptLists({ maxAgeMs });
  }

  /** Sorted by name. */
  getServices(options: ReadOptions): Promise<readonly string[]> {
    return this.#get(this.#services, "get_services", [], options, (read) => this.#reader.getServices(read));
  }

  /** Sorted by name, then kind. @param spanKind keeps one kind */
  getOperations(
    service: string,
    spanKind: SpanKind | undefined,
    options: ReadOptions,
  ): Promise<readonly Operation[]> {
    const query = spanKind === undefined ? { service } : { service, spanKind };
    return this.#get(this.#operations, "get_operations", [service, spanKind ?? ""], options, (read) =>
      this.#reader.getOperations(query, read),
    );
  }

  async #get<T>(
    lists: KeptLists<T>,
    operation: ReadOperation,
    query: readonly string[],
    options: ReadOptions,
    read: (options: ReadOptions) => Promise<T[]>,
  ): Promise<readonly T[]> {
    const { tenant = "", bearerToken = "", signal } = options;
    let hasAsked = false;
    const found = await lists.get(JSON.stringify([tenant, bearerToken, ...query]), signal, (shared) => {
      hasAsked = true;
      const { signal: _own, ...rest } = options;
      return this.#reads.list(operation, () =>
        read(shared === undefined ? rest : { ...rest, signal: shared }),
      );
    });
    if (!hasAsked) this.#reads.fromMemory(operation, found.length);
    return found;
  }
}
