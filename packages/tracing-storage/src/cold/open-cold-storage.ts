import type { Registry } from "@prometheus-io/client";
import { type Logger, StartError } from "lifecycle";
import type { ColdOptions } from "../cold-options.ts";
import type { DataFolder } from "../engine/data-folder.ts";
import type { Engine } from "../engine/engine.ts";
import { ColdDays } from "./cold-days.ts";
import {
  bucketPolicy,
  type ColdBucket,
  coldBucket,
  coldDiskXml,
  exportSecret,
  noteEndpoint,
} from "./cold-disk.ts";
import { knownEndpoint, requireKnownEndpoint } from "./cold-folder.ts";
import { KeptParts } from "./kept-parts.ts";

/** Time in milliseconds in which the bucket must answer; otherwise, the start fails. */
const answerTimeoutMs = 10_000;

/** Table that is made in the bucket and dropped, to try the key. */
const checkTable = "default.cold_storage_check";

/** Options of the retention that the moves use too. */
interface DayOptions {
  readonly "storage.retention-databases": readonly string[];
  readonly "storage.retention-interval": number;
  readonly "storage.max-bytes": number;
}

/** The engine, and the services for reports. */
interface ReportingEngine {
  readonly engine: Engine;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** Connects the engine to the bucket for old days. */
export class ColdStorage {
  readonly #bucket: ColdBucket;
  readonly #log: Logger;
  #kept: KeptParts | undefined;

  constructor(bucket: ColdBucket, log: Logger) {
    this.#bucket = bucket;
    this.#log = log;
  }

  /**
   * Ends moves that were cut short.
   * @param folder the locked folder, before the engine opens it
   * @returns the engine's configuration of the bucket
   * @throws StartError when the old days of the folder are in another bucket
   */
  prepare({ path, enginePath }: DataFolder): string {
    const { endpoint } = this.#bucket;
    requireKnownEndpoint(path, endpoint);
    this.#kept = new KeptParts(path, enginePath);
    for (const part of this.#kept.recover()) {
      this.#log.warn(part, "a part of an old day was not yet safe in the bucket: it is on the disk again");
    }
    exportSecret(this.#bucket);
    return coldDiskXml(this.#bucket, enginePath);
  }

  /**
   * Must be called when the engine has opened, before any day moves. The first time, it writes a table to the bucket
   * and drops it again, because the embedded engine itself does not check the key.
   * @throws StartError when the bucket does not allow it
   */
  async opened(engine: Pick<Engine, "run" | "folder">): Promise<void> {
    const { endpoint } = this.#bucket;
    const { path } = engine.folder;
    if (knownEndpoint(path) !== undefined) {
      return;
    }
    const run = (sql: string) => engine.run({ prepare: "", sql, format: "Null", tag: "cold" });
    try {
      await run(
        `CREATE TABLE ${checkTable} (x UInt8) ENGINE = MergeTree ORDER BY () SETTINGS storage_policy = '${bucketPolicy}'`,
      );
      await run(`INSERT INTO ${checkTable} VALUES (1)`);
      await run(`DROP TABLE ${checkTable} SYNC`);
    } catch (error) {
      await run(`DROP TABLE IF EXISTS ${checkTable} SYNC`).catch(() => {});
      throw new StartError(
        `the bucket ${endpoint} cannot be used: ${(error as Error).message.slice(0, 500)}`,
        {
          cause: error,
        },
      );
    }
    noteEndpoint(path, endpoint);
  }

  /** The task that moves days. */
  days(parts: ReportingEngine, options: ColdOptions & DayOptions): ColdDays {
    const kept = this.#kept ?? new KeptParts(parts.engine.folder.path, parts.engine.folder.enginePath);
    return new ColdDays(
      { ...parts, kept },
      {
        afterMs: options["storage.cold.after"],
        maxLocalBytes: options["storage.max-bytes"],
        databases: options["storage.retention-databases"],
        tables: options["storage.cold.tables"],
        intervalMs: options["storage.retention-interval"],
      },
    );
  }
}

/**
 * Checks that the bucket answers, because the engine does not open a folder if it cannot read all parts.
 * @throws StartError for wrong options, and for a bucket that is away
 */
export async function openColdStorage(options: ColdOptions, log: Logger): Promise<ColdStorage> {
  const bucket = coldBucket(options);
  try {
    // Any status will do, because the request has no key.
    const answer = await fetch(bucket.endpoint, {
      ...{ method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(answerTimeoutMs) },
    });
    await answer.body?.cancel();
  } catch (error) {
    const { cause, message } = error as Error;
    throw new StartError(
      `the bucket ${bucket.endpoint} does not answer (${cause instanceof Error ? cause.message : message}): the store ` +
        "opens when it does; collectors keep spans until then",
      { cause: error },
    );
  }
  return new ColdStorage(bucket, log);
}
