import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isSchemaMissing } from "../clickhouse-errors.ts";
import { ensureSchema } from "./ensure-schema.ts";

/**
 * Makes sure that the tables exist before any read or write. It checks them at the first call, and again when the store
 * comes back with an empty data folder.
 */
export class SchemaGuard {
  readonly #ensureSchema: (signal?: AbortSignal) => Promise<void>;
  #ensured: Promise<void> | undefined;

  /** @param ensure creates the tables; by default the tables of a single server */
  constructor(
    connection: ClickHouseConnection,
    database: string,
    ensure = (signal?: AbortSignal) => ensureSchema(connection, database, signal),
  ) {
    this.#ensureSchema = ensure;
  }

  /** Checks now, even if an earlier check succeeded. @throws StorageError */
  async check(signal?: AbortSignal): Promise<void> {
    const check = this.#ensureSchema(signal);
    await check;
    this.#ensured = check;
  }

  /**
   * Runs `work` after the tables exist. If the tables turn out to be missing, creates them and runs `work` again.
   * @throws StorageError
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await unlessAborted(this.#ensure(), signal);
    try {
      return await work();
    } catch (error) {
      if (!isSchemaMissing(error)) {
        throw error;
      }
      this.#ensured = undefined;
      await unlessAborted(this.#ensure(), signal);
      return await work();
    }
  }

  /**
   * All waiting callers share one check. The signal of a single caller does not end the check; only the check's own
   * time limits do.
   */
  #ensure(): Promise<void> {
    if (this.#ensured !== undefined) {
      return this.#ensured;
    }
    const ensured = this.#ensureSchema().catch((error: unknown) => {
      if (this.#ensured === ensured) {
        this.#ensured = undefined;
      }
      throw error;
    });
    this.#ensured = ensured;
    return ensured;
  }
}

/** Stops waiting when the signal is aborted. The work itself continues. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    return await work;
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new StorageError("STORAGE_ABORTED", "the caller gave up"));
  if (signal.aborted) {
    onAbort();
  }
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
