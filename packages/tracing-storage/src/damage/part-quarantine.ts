import type { Health, Logger } from "lifecycle";
import { Counter, Gauge, type Registry } from "prom-client";
import type { Engine } from "../engine/engine.ts";
import { EngineError, toEngineError } from "../engine/engine-error.ts";
import { quoteString } from "../sql/statement.ts";
import { damagedPart, type PartName } from "./damaged-part.ts";

interface QuarantineParts {
  readonly engine: Engine;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly health: Pick<Health, "degrade">;
}

/** A part as the engine knows it. */
export interface StoredPart {
  readonly database: string;
  readonly table: string;
  readonly part: string;
  readonly rows: number;
  readonly bytes: number;
  /** First and last day of the rows, `2026-11-26`; "" where the table is not by days. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** Reads of one statement that may find damage one after the other, each in another part. */
export const mostDamagedParts = 20;

/**
 * Sets damaged parts aside, so that reads go on with the rest: the folder of the part moves to `detached`, where nothing reads it
 * and from where it can be brought back. Every part is logged, counted, and makes the health "degraded".
 */
export class PartQuarantine {
  readonly #parts: QuarantineParts;
  readonly #damaged: Counter<"table" | "found">;
  readonly #setAside: Gauge;
  /** Of parts that are being looked at, by table and name. */
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
    const registers = [parts.metrics];
    this.#damaged = new Counter({
      name: "tracing_storage_damaged_parts_total",
      help: "Parts of tables whose bytes on the disk are not those that were written, by table and by who found them: start, read, check.",
      labelNames: ["table", "found"],
      registers,
    });
    this.#setAside = new Gauge({
      name: "tracing_storage_damaged_parts_set_aside",
      help: "Damaged parts that are set aside now: what they hold is missing from answers.",
      registers,
    });
  }

  /** Looks for parts that the engine has set aside itself, which it does with those that it cannot load at its start. */
  async lookAtStart(): Promise<void> {
    for (const { database, table, name } of await this.#detached()) {
      if (!name.startsWith("broken")) continue;
      this.#damaged.inc({ table: `${database}.${table}`, found: "start" });
      this.#parts.log.error(
        { database, table, part: name },
        "a part of the store is damaged: it could not be loaded and is set aside; what it holds is missing from answers",
      );
    }
    await this.#count();
  }

  /**
   * Sets the part aside that an error is about, if it is damaged. Never throws: the error of the statement is what its client is told.
   * @returns whether it was: then the statement is worth another try
   */
  async suspect(error: unknown): Promise<boolean> {
    const known = toEngineError(error);
    const found = damagedPart(known);
    if (found === undefined) return false;
    try {
      const part = await this.#find(found);
      // Merged, dropped or set aside meanwhile: whoever reads again does not see it.
      if (part === undefined) return true;
      return await this.setAside(part, "read", known.message, found.isCertain);
    } catch (failure) {
      this.#parts.log.error(
        { part: found.part, err: failure },
        "a part that may be damaged cannot be looked at",
      );
      return false;
    }
  }

  /**
   * Checks a part, and sets it aside if it is damaged.
   * @param found who found it
   * @param reason for the log
   * @param isCertain whether no check is needed
   */
  setAside(part: StoredPart, found: "read" | "check", reason: string, isCertain: boolean): Promise<boolean> {
    const key = `${part.database}.${part.table} ${part.part}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const next = this.#setPartAside(part, found, reason, isCertain).finally(() => this.#running.delete(key));
    this.#running.set(key, next);
    return next;
  }

  async #setPartAside(
    part: StoredPart,
    found: "read" | "check",
    reason: string,
    isCertain: boolean,
  ): Promise<boolean> {
    const { log, engine } = this.#parts;
    const { database, table } = part;
    try {
      if (!isCertain && (await this.faultOf(part)) === undefined) return false;
      await this.#run(`ALTER TABLE ${nameOf(part)} DETACH PART ${quoteString(part.part)}`);
      await engine.tablesChanged();
    } catch (failure) {
      log.error({ ...part, reason, err: failure }, "a damaged part of the store cannot be set aside");
      return false;
    }
    this.#damaged.inc({ table: `${database}.${table}`, found });
    log.error(
      { ...part, reason: reason.slice(0, 1_000) },
      `a part of the store is damaged and is set aside: ${part.rows} rows of ${database}.${table}` +
        `${part.firstDay === "" ? "" : ` from ${part.firstDay} to ${part.lastDay}`} are missing from answers`,
    );
    await this.#count();
    return true;
  }

  /** What a check of all files of a part finds wrong; undefined for a part that is whole, or no longer there. */
  async faultOf(part: StoredPart): Promise<string | undefined> {
    try {
      const sql = `CHECK TABLE ${nameOf(part)} PART ${quoteString(part.part)} SETTINGS check_query_single_value_result = 0, max_threads = 1, max_execution_time = 0`;
      const [, isPassed, message] = (await this.#run(sql)).split("\t");
      return isPassed === "0" ? (message ?? "").trim() : undefined;
    } catch (error) {
      // NO_SUCH_DATA_PART, UNKNOWN_TABLE
      if (error instanceof EngineError && (error.code === 232 || error.code === 60)) return undefined;
      throw error;
    }
  }

  /** All parts of the tables of these databases, oldest first. */
  async storedParts(databases: readonly string[]): Promise<StoredPart[]> {
    const names = databases.map(quoteString).join(", ");
    return this.#read(`active AND database IN (${names}) ORDER BY modification_time, database, table, name`);
  }

  async #find({ tableUuid, part }: PartName): Promise<StoredPart | undefined> {
    const table = `(database, table) IN (SELECT database, name FROM system.tables WHERE uuid = ${quoteString(tableUuid)})`;
    return (await this.#read(`active AND ${table} AND name = ${quoteString(part)}`))[0];
  }

  async #read(where: string): Promise<StoredPart[]> {
    const days = ["min", "max"].map((bound) => {
      const day = `coalesce(nullIf(toDate(${bound}_time), toDate(0)), ${bound}_date)`;
      return `if(${day} = toDate(0), '', toString(${day}))`;
    });
    const text = await this.#run(
      `SELECT database, table, name, rows, bytes_on_disk, ${days.join(", ")} FROM system.parts WHERE ${where}`,
    );
    return linesOf(text).map(
      ([database = "", table = "", part = "", rows, bytes, firstDay = "", lastDay = ""]) => ({
        ...{ database, table, part, rows: Number(rows), bytes: Number(bytes), firstDay, lastDay },
      }),
    );
  }

  async #detached(): Promise<{ database: string; table: string; name: string }[]> {
    // Parts that others cover are leftovers of the engine's own, and lack nothing.
    const text = await this.#run(
      "SELECT database, table, name FROM system.detached_parts WHERE NOT match(name, '^(ignored|covered|clone|attaching|deleting|tmp)') ORDER BY database, table, name",
    );
    return linesOf(text).map(([database = "", table = "", name = ""]) => ({ database, table, name }));
  }

  /** How many are set aside: some may have been brought back, or removed. */
  async #count(): Promise<void> {
    const { length } = await this.#detached();
    this.#setAside.set(length);
    this.#parts.health.degrade(
      "damaged-parts",
      length === 0
        ? undefined
        : `damaged parts of the store that are set aside: ${length}; answers lack what they hold`,
    );
  }

  /** Looks again; for a timer. */
  async look(): Promise<void> {
    await this.#count();
  }

  async #run(sql: string): Promise<string> {
    const { bytes } = await this.#parts.engine.run({ prepare: "", sql, format: "TSV", tag: "damage" });
    return bytes.toString();
  }
}

function nameOf({ database, table }: StoredPart): string {
  return [database, table].map((name) => `\`${name.replace(/[\\`]/g, "\\$&")}\``).join(".");
}

function linesOf(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
}
