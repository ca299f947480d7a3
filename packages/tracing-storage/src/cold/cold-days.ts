import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine-error.ts";
import { quoteIdentifier, quoteString } from "../sql/statement.ts";
import { coldVolume } from "./cold-disk.ts";
import { daysToMove, type LocalPart, type MoveLimits } from "./days-to-move.ts";
import type { KeptParts } from "./kept-parts.ts";

export interface ColdDaysSettings extends MoveLimits {
  readonly databases: readonly string[];
  /** Tables whose days move. */
  readonly tables: readonly string[];
  /** Time between two checks in milliseconds; the first check is immediate. */
  readonly intervalMs: number;
}

interface ColdDaysParts {
  readonly engine: Pick<Engine, "run">;
  readonly kept: KeptParts;
  readonly log: Logger;
  readonly metrics: Registry;
}

const prefix = "tracing_storage_cold_";

/** True for 232 (NO_SUCH_DATA_PART) and 60 (UNKNOWN_TABLE): a merge or a drop has removed the part before. */
const isGone = (error: unknown) => error instanceof EngineError && [232, 60].includes(error.code);

/** Moves old days to the bucket, at startup and every few minutes. */
export class ColdDays {
  readonly #parts: ColdDaysParts;
  readonly #settings: ColdDaysSettings;
  readonly #moved: Counter;
  readonly #movedBytes: Counter;
  readonly #failures: Counter;
  readonly #isFailing: Gauge;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: ColdDaysParts, settings: ColdDaysSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const registers = [parts.metrics];
    const counter = (name: string, help: string) =>
      new Counter({ name: `${prefix}${name}`, help, registers });
    this.#moved = counter("moved_parts_total", "Parts of old days that were moved to the bucket.");
    this.#movedBytes = counter("moved_bytes_total", "Bytes of these parts.");
    this.#failures = counter("failures_total", "Moves that ended with an error; the next look tries again.");
    this.#isFailing = new Gauge({
      name: `${prefix}failing`,
      help: "1 while the last move has failed: old days stay on the disk.",
      registers,
    });
    this.#watchBytes();
  }

  /** Checks now, and repeatedly until `close`. */
  start(): void {
    const look = () => {
      this.#running = this.#look().finally(() => {
        if (!this.#closed) {
          this.#timer = setTimeout(look, this.#settings.intervalMs).unref();
        }
      });
    };
    look();
  }

  /** Resolves when no part is being moved. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** One check, which never rejects. Parts move one by one, so `close` waits for one part at most. */
  async #look(): Promise<void> {
    try {
      const parts = await this.#localParts();
      const bytes = this.#settings.maxLocalBytes > 0 ? await this.#localBytes() : 0;
      for (const part of daysToMove(parts, bytes, this.#settings, Date.now())) {
        if (this.#closed) {
          return;
        }
        await this.#move(part);
      }
      this.#isFailing.set(0);
    } catch (error) {
      if (!this.#closed) {
        this.#failures.inc();
        this.#isFailing.set(1);
        this.#parts.log.error(
          { err: error },
          "an old day could not be moved to the bucket and stays on the disk; the next look tries again",
        );
      }
    }
  }

  async #move(part: LocalPart): Promise<void> {
    const { engine, kept, log } = this.#parts;
    const { database, table, bytes, rows, day } = part;
    try {
      await kept.keep(part);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return;
      }
      throw error;
    }
    try {
      await engine.run({
        prepare: "SET max_execution_time = 0",
        sql: `ALTER TABLE ${quoteIdentifier(database)}.${quoteIdentifier(table)} MOVE PART ${quoteString(part.part)} TO VOLUME ${quoteString(coldVolume)}`,
        format: "Null",
        tag: "cold",
      });
    } catch (error) {
      if (isGone(error)) {
        return;
      }
      throw error;
    } finally {
      await kept.settle(part);
    }
    this.#moved.inc();
    this.#movedBytes.inc(bytes);
    log.info(
      { database, table, day, part: part.part, rows, bytes },
      "moved a part of an old day to the bucket",
    );
  }

  /**
   * Parts on the local disk, oldest day first, of tables whose partition key is one column of type Date. Parts without
   * rows, which a deletion may leave, are excluded.
   */
  async #localParts(): Promise<LocalPart[]> {
    const { databases, tables } = this.#settings;
    return await this.#rows<LocalPart>(
      `SELECT p.database AS database, p.table AS table, toString(t.uuid) AS tableUuid, p.name AS part, p.partition AS day,
  p.bytes_on_disk AS bytes, p.rows AS rows
FROM system.parts AS p
INNER JOIN system.tables AS t ON t.database = p.database AND t.name = p.table
INNER JOIN system.columns AS c ON c.database = t.database AND c.table = t.name AND c.name = t.partition_key
WHERE p.active AND p.rows > 0 AND p.disk_name = 'default' AND c.type = 'Date'
  AND p.database IN (${list(databases)}) AND p.table IN (${list(tables)})
ORDER BY day, database, table, part`,
    );
  }

  async #localBytes(): Promise<number> {
    const [row] = await this.#rows<{ bytes: number }>(
      `SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND disk_name = 'default' AND database IN (${list(this.#settings.databases)})`,
    );
    return row?.bytes ?? 0;
  }

  async #rows<Row>(sql: string): Promise<Row[]> {
    const { bytes } = await this.#parts.engine.run({
      prepare: "SET output_format_json_quote_64bit_integers = 0",
      ...{ sql, format: "JSONEachRow", tag: "cold" },
    });
    const lines = bytes.toString("utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
  }

  #watchBytes(): void {
    const { engine, metrics } = this.#parts;
    new Gauge({
      name: `${prefix}bytes`,
      help: "Bytes of active parts in the bucket.",
      registers: [metrics],
      async collect() {
        const sql = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND disk_name != 'default'";
        const { bytes } = await engine.run({ prepare: "", sql, format: "TSV", tag: "metrics" });
        this.set(Number(bytes.toString("utf8")));
      },
    });
  }
}

/** A list for IN, which must not be empty. */
function list(names: readonly string[]): string {
  return ["", ...names].map(quoteString).join(", ");
}
