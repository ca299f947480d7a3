import type { SharedRecord, SharedTable } from "./shared-table.ts";

/**
 * A number that all threads change: hits, a rate limit's state, a failure count. It lives as long as anybody uses its
 * name, over reloads and deaths of threads. Whole numbers within ±2^53.
 */
export interface SharedCounter {
  /** Name that finds the same counter in all threads. */
  readonly name: string;
  /** Sum over all threads. */
  readonly value: number;
  /** @returns the new value */
  add(amount: number): number;
  /** Sets the sum, for a counter that one thread owns. */
  set(value: number): void;
  /** Sets `value` when the present value is `expected`. @returns true when it did */
  exchange(expected: number, value: number): boolean;
  /** Gives it back before the config closes. Using it afterwards is a fault. */
  release(): void;
}

/** How much of something there is now in all threads together: running requests. A thread that dies takes its part back. */
export interface SharedGauge {
  /** Name that finds the same gauge in all threads. */
  readonly name: string;
  /** Sum over all threads. */
  readonly value: number;
  /** Changes the part of this thread. */
  add(amount: number): void;
  /** Gives the place in shared memory back. */
  release(): void;
}

/** Value of a shared name, as {@link SharedState.list} finds it. */
export interface SharedEntry {
  /** Name that finds the same entry in all threads. */
  readonly name: string;
  /** Value of a counter. */
  readonly count: number;
  /** Value of a gauge. */
  readonly level: number;
}

/** Is told how to give a handle back when the time comes. @returns takes that back: the handle was released before */
export type ReleaseKeeper = (release: () => void) => () => void;

/**
 * State that all threads of the server share. Names are free text that begins with the module's id:
 * `http.handlers.x/…`.
 */
export interface SharedState {
  /** @param keeper for the context of modules. @throws ServerError SHARED_FULL */
  counter(name: string, keeper?: ReleaseKeeper): SharedCounter;
  /** @param keeper for the context of modules. @throws ServerError SHARED_FULL */
  gauge(name: string, keeper?: ReleaseKeeper): SharedGauge;
  /** All names in use that begin with `prefix`, also those that only other threads use. */
  list(prefix: string): SharedEntry[];
  /**
   * Memory of a module's own, the same in all threads, zero at first. Kept until the process ends, so its size and number
   * must be bounded by the config. @param name with its size it says which
   */
  memory(name: string, byteLength: number): Promise<SharedArrayBuffer>;
}

/** The right to use a record, given back once. */
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
 * Keeps the memory that modules asked for, which is theirs until the process ends. A name that is kept costs no question.
 * @param find gets what is not kept yet: made here in the main thread, asked for in a worker. A failure is not kept.
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

/** Shared state on a {@link SharedTable}. */
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
