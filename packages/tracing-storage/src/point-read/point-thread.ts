import { Worker } from "node:worker_threads";
import type { Logger } from "lifecycle";
import type { PointStatement } from "./point-statement.ts";
import type { PointAnswer } from "./read-point.ts";
import type { TableFacts } from "./table-facts.ts";
import type { FromThread, ToThread } from "./thread-messages.ts";

/**
 * Maximum number of calls that may wait for the thread. Further statements go to the engine, which has several threads.
 */
const maxCalls = 4;
/** Megabytes of the thread's young generation. */
const maxYoungGenerationSizeMb = 3;
/** Pause in milliseconds after the thread has ended unexpectedly. */
const againMs = 10_000;

/** A table that the main thread has described to the reading thread. */
export interface ToldTable {
  readonly facts: TableFacts;
  /** Types of the primary key's columns. */
  readonly keyTypes: readonly string[];
}

/** A thread that runs `readPoint`. It starts at the first call, which the engine answers. */
export class PointThread {
  readonly #log: Logger;
  #worker: Worker | undefined;
  #isReady = false;
  #isClosed = false;
  #notBeforeMs = 0;
  #lastNumber = 0;
  readonly #calls = new Map<number, (answer: PointAnswer | undefined) => void>();
  /** Tables that the thread knows, with the number of each. */
  readonly #tables = new Map<ToldTable, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @param tables tables of the statement, as the same objects while they have not changed
   * @returns undefined when the engine must answer, because the thread is starting or busy, or cannot read the parts
   */
  async read(
    tables: { readonly rows: ToldTable; readonly places: ToldTable },
    statement: PointStatement,
    value: string,
  ): Promise<PointAnswer | undefined> {
    const worker = this.#worker ?? this.#begin();
    if (worker === undefined || !this.#isReady || this.#calls.size >= maxCalls) {
      return undefined;
    }
    const [rows, places] = [this.#numberOf(worker, tables.rows), this.#numberOf(worker, tables.places)];
    const call = ++this.#lastNumber;
    return await new Promise((resolve) => {
      this.#calls.set(call, resolve);
      post(worker, { kind: "read", call, rows, places, statement, value });
    });
  }

  /** Must be called when a table has changed, so that its number is no longer used. */
  forget(table: ToldTable): void {
    const number = this.#tables.get(table);
    this.#tables.delete(table);
    if (number !== undefined && this.#worker !== undefined) {
      post(this.#worker, { kind: "forget", table: number });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #begin(): Worker | undefined {
    if (this.#isClosed || performance.now() < this.#notBeforeMs) {
      return undefined;
    }
    let worker: Worker;
    try {
      worker = new Worker(new URL("./point-thread-start.ts", import.meta.url), {
        name: "point reads",
        resourceLimits: { maxYoungGenerationSizeMb },
      });
    } catch (error) {
      this.#failed(error);
      this.#ended();
      return undefined;
    }
    // The process may exit while the thread still runs.
    worker.unref();
    worker.on("message", (message: FromThread) => this.#take(message));
    worker.on("error", (error) => this.#failed(error));
    worker.on("exit", () => this.#ended());
    this.#worker = worker;
    return worker;
  }

  #failed(error: unknown): void {
    this.#log.error({ err: error }, "the thread that reads parts has failed; the engine answers meanwhile");
  }

  #take(message: FromThread): void {
    if (message.kind === "ready") {
      this.#isReady = true;
      return;
    }
    const { call } = message;
    const resolve = this.#calls.get(call);
    this.#calls.delete(call);
    if (message.kind === "none") {
      if (message.error !== undefined) {
        this.#log.warn(`parts were not read, the engine is asked: ${message.error}`);
      }
      resolve?.(undefined);
      return;
    }
    const { bytes, rows } = message;
    resolve?.({ bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), rows });
  }

  /** The engine answers the calls that are still open. The next thread gets all tables again. */
  #ended(): void {
    this.#worker = undefined;
    this.#isReady = false;
    this.#notBeforeMs = performance.now() + againMs;
    this.#tables.clear();
    for (const resolve of this.#calls.values()) {
      resolve(undefined);
    }
    this.#calls.clear();
  }

  #numberOf(worker: Worker, told: ToldTable): number {
    const known = this.#tables.get(told);
    if (known !== undefined) {
      return known;
    }
    const table = ++this.#lastNumber;
    this.#tables.set(told, table);
    post(worker, { kind: "table", table, ...told });
    return table;
  }
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}
