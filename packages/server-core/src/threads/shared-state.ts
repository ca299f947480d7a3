import type { SharedRecord, SharedTable } from "./shared-table.ts";

/**
 * A number that all threads change: hits, a rate limit's state, a failure count. A counter exists as long as its name
 * is in use, over reloads and deaths of threads. Values are whole numbers within ±2^53.
 */
export interface SharedCounter {
  /** Name of the counter; it is the same in all threads. */
  readonly name: string;
  /** Sum over all threads. */
  readonly value: number;
  /** @returns the new value */
  add(amount: number): number;
  /** Sets the sum, for a counter that one thread owns. */
  set(value: number): void;
  /** Sets `value` if the present value is `expected`. @returns true when it was set */
  exchange(expected: number, value: number): boolean;
  /** Releases the counter before the config closes. The counter must not be used afterwards. */
  release(): void;
}

/** A current amount over all threads, such as running requests. The share of a thread that dies is removed. */
export interface SharedGauge {
  /** Name of the gauge; it is the same in all threads. */
  readonly name: string;
  /** Sum over all threads. */
  readonly value: number;
  /** Changes the share of this thread. */
  add(amount: number): void;
  release(): void;
}

/** A shared name with its values, from {@link SharedState.list}. */
export interface SharedEntry {
  /** Name that finds the same entry in all threads. */
  readonly name: string;
  readonly count: number;
  /** Value of a gauge. */
  readonly level: number;
}

/**
 * Registers a function that releases a handle when the config closes. @returns a function that removes the
 * registration, after an earlier release
 */
export type ReleaseKeeper = (release: () => void) => () => void;

/**
 * State that all threads of the server share. Names are free text that begins with the module's id:
 * `http.handlers.x/…`.
 */
export interface SharedState {
  /** @param keeper used by the context of modules. @throws ServerError SHARED_FULL */
  counter(name: string, keeper?: ReleaseKeeper): SharedCounter;
  /** @param keeper used by the context of modules. @throws ServerError SHARED_FULL */
  gauge(name: string, keeper?: ReleaseKeeper): SharedGauge;
  /** All names in use that begin with `prefix`, including names that only other threads use. */
  list(prefix: string): SharedEntry[];
  /**
   * Memory that a module shares over all threads; it is zero at first. It exists until the process ends, so the config
   * must limit its size and number. @param name identifies the memory together with its size
   */
  memory(name: string, byteLength: number): Promise<SharedArrayBuffer>;
}

/** The right to use a record; it can be released once. */
class Handle {
  protected readonly table: SharedTable;
  protected readonly record: SharedRecord;
  readonly #forget: (() => void) | undefined;
  #released = false;

  constructor(table: SharedTable, name: string, keeper: ReleaseKeeper | undefined) {
    this.table = table;
    this.record = table.take(name);
    this.#forget = keeper?.(() => this.release());
  }

  get name(): string {
    return this.record.name;
  }

  release(): void {
    if (!this.#released) {
      this.#released = true;
      this.#forget?.();
      this.table.release(this.record);
    }
  }
}

class TableCounter extends Handle implements SharedCounter {
  get value(): number {
    return this.table.common(this.record);
  }

  add(amount: number): number {
    return this.table.addCommon(this.record, amount);
  }

  set(value: number): void {
    this.table.setCommon(this.record, value);
  }

  exchange(expected: number, value: number): boolean {
    return this.table.exchangeCommon(this.record, expected, value);
  }
}

class TableGauge extends Handle implements SharedGauge {
  get value(): number {
    return this.table.sum(this.record);
  }

  add(amount: number): void {
    this.table.addOwn(this.record, amount);
  }
}

/** Finds the memory of a name. */
export type MemorySource = (name: string, byteLength: number) => Promise<SharedArrayBuffer>;

/**
 * Caches the memory of modules, which exists until the process ends. A cached name needs no message.
 * @param find finds memory that is not cached; the main thread creates the memory, and a worker asks the main thread
 * for it. A failure is not cached.
 */
export function memoryKeeper(
  find: MemorySource = async (_, byteLength) => new SharedArrayBuffer(byteLength),
): MemorySource {
  const kept = new Map<string, Promise<SharedArrayBuffer>>();
  return (name, byteLength) => {
    const key = `${byteLength} ${name}`;
    let memory = kept.get(key);
    if (memory === undefined) {
      memory = find(name, byteLength);
      kept.set(key, memory);
      memory.catch(() => kept.delete(key));
    }
    return memory;
  };
}

/** Shared state that is stored in a {@link SharedTable}. */
export class TableState implements SharedState {
  readonly #table: SharedTable;
  readonly memory: MemorySource;

  constructor(table: SharedTable, memory: MemorySource) {
    this.#table = table;
    this.memory = memory;
  }

  counter(name: string, keeper?: ReleaseKeeper): SharedCounter {
    return new TableCounter(this.#table, name, keeper);
  }

  gauge(name: string, keeper?: ReleaseKeeper): SharedGauge {
    return new TableGauge(this.#table, name, keeper);
  }

  list(prefix: string): SharedEntry[] {
    return this.#table.list(prefix).map((record) => ({
      name: record.name,
      count: this.#table.common(record),
      level: this.#table.sum(record),
    }));
  }
}
