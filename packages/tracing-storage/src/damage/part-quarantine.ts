import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Health, Logger } from "lifecycle";
import type { PartialReason } from "storage/api";
import type { Engine } from "../engine/engine.ts";
import { engineErrorCodes as codes, EngineError, toEngineError } from "../engine-error.ts";
import { quoteString } from "../sql/statement.ts";
import { damagedPart, type PartName } from "./damaged-part.ts";
import type { DroppablePart } from "./set-aside-limits.ts";
import {
  type DamagedPart,
  type DetachedPart,
  SetAsideParts,
  type StoredPart,
  textOf,
} from "./set-aside-parts.ts";

/** Errors that say that a part or its table no longer exists. */
const gone: ReadonlySet<number> = new Set([codes.NO_SUCH_DATA_PART, codes.UNKNOWN_TABLE]);

/** Pattern for a damaged file that contains only the times of spans. */
const fileOfTimes = /\/(start|minute)\.(bin|cmrk\d?)/;

interface QuarantineParts {
  readonly engine: Engine;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly health: Pick<Health, "degrade">;
  /** File that stores the detached parts for the next start. */
  readonly noteFile: string;
}

/** Maximum number of damaged parts that one statement may find, one after the other. */
export const mostDamagedParts = 20;

/**
 * Detaches damaged parts, so that reads continue with the other parts. The part's folder moves to `detached`, where
 * ClickHouse does not read it; operators can restore the part from there. Every part is logged and counted, and makes
 * the health "degraded".
 */
export class PartQuarantine {
  readonly #parts: QuarantineParts;
  readonly #damaged: Counter<"table" | "found">;
  readonly #setAside: Gauge;
  readonly #missing: SetAsideParts;
  /** Checks that are running, by table and part. */
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
    this.#missing = new SetAsideParts(parts.noteFile);
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

  /**
   * The reasons why a statement's answer lacks rows. @param sql returns the statement; called only if a part is
   * detached
   */
  missingFrom(sql: () => string): PartialReason[] {
    return this.#missing.missingFrom(sql);
  }

  /** Finds parts that the engine itself detached, because it could not load them at its start. */
  async lookAtStart(): Promise<void> {
    await this.#count("start");
  }

  /**
   * Detaches the part that an error mentions, if it is damaged. Never throws: the client gets the error of the
   * statement.
   * @returns true when the statement can be repeated, because the part is no longer in its table
   */
  async suspect(error: unknown): Promise<boolean> {
    const known = toEngineError(error);
    const found = damagedPart(known);
    if (found === undefined) {
      return false;
    }
    try {
      const part = await this.#find(found);
      // The part was merged, dropped or detached meanwhile, so the repeated read will not use it.
      if (part === undefined) {
        return true;
      }
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
   * Detaches the part that has a damaged file. @returns true when later reads will not use the part, even if it was
   * already gone
   */
  async setAsideFile(name: PartName, reason: string): Promise<boolean> {
    const part = await this.#find(name);
    return part === undefined || (await this.setAside(part, "read", reason, true));
  }

  /**
   * Checks a part, and detaches it if it is damaged.
   * @param found how the damage was found
   * @param reason text for the log
   * @param isCertain true: no check is needed
   * @returns true when later reads will not use the part, because it was detached, merged or dropped
   */
  setAside(part: StoredPart, found: "read" | "check", reason: string, isCertain: boolean): Promise<boolean> {
    const key = `${part.database}.${part.table} ${part.part}`;
    const running = this.#running.get(key);
    if (running !== undefined) {
      return running;
    }
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
    let missing: DamagedPart;
    try {
      if (!isCertain && (await this.faultOf(part)) === undefined) {
        return await this.#isGone(part);
      }
      // If the file with the times is damaged, the engine must not read it, because it might search for the flipped bit
      // for minutes.
      const isTimeDamaged = fileOfTimes.test(reason);
      missing = { ...part, ...(isTimeDamaged ? {} : await this.#timeOf(part)) };
      await this.#missing.note(missing);
      engine.tablesChange();
      try {
        await this.#run(`ALTER TABLE ${nameOf(part)} DETACH PART ${quoteString(part.part)}`);
      } finally {
        await engine.tablesChanged();
      }
    } catch (failure) {
      if (await this.#isGone(part).catch(() => false)) {
        return true;
      }
      log.error({ ...part, reason, err: failure }, "a damaged part of the store cannot be set aside");
      await this.look().catch(() => {});
      return false;
    }
    this.#damaged.inc({ table: `${database}.${table}`, found });
    log.error(
      { ...missing, reason: reason.slice(0, 1_000) },
      `a part of the store is damaged: ${textOf(missing)}`,
    );
    await this.#count("read");
    return true;
  }

  /**
   * Checks all files of a part. @returns the fault; undefined for an undamaged part, and for one that no longer exists
   * @param tag name of the statement in the engine
   */
  async faultOf(part: StoredPart, tag = "damage"): Promise<string | undefined> {
    try {
      const sql = `CHECK TABLE ${nameOf(part)} PART ${quoteString(part.part)} SETTINGS check_query_single_value_result = 0, max_threads = 1, max_execution_time = 0`;
      const [, isPassed, message] = (await this.#run(sql, tag)).split("\t");
      return isPassed === "0" ? (message ?? "").trim() : undefined;
    } catch (error) {
      if (error instanceof EngineError && gone.has(error.code)) {
        return undefined;
      }
      throw error;
    }
  }

  /**
   * All parts on the local disk of the tables of these databases, oldest first. Parts in the bucket are left out,
   * because the bucket checks its own bytes.
   */
  async storedParts(databases: readonly string[]): Promise<StoredPart[]> {
    const names = databases.map(quoteString).join(", ");
    return this.#read(
      `active AND disk_name = 'default' AND database IN (${names}) ORDER BY modification_time, database, table, name`,
    );
  }

  /** True when the part is no longer in its table. */
  async #isGone({ database, table, part }: StoredPart): Promise<boolean> {
    const sql = `SELECT count() FROM system.parts WHERE active AND database = ${quoteString(database)} AND table = ${quoteString(table)} AND name = ${quoteString(part)}`;
    return (await this.#run(sql)).trim() === "0";
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
      `SELECT database, table, name, rows, bytes_on_disk, toUnixTimestamp(modification_time) * 1000, ${days.join(", ")} FROM system.parts WHERE ${where}`,
    );
    return linesOf(text).map(
      ([database = "", table = "", part = "", rows, bytes, writtenUnixMs, firstDay = "", lastDay = ""]) => ({
        ...{
          database,
          table,
          part,
          rows: Number(rows),
          bytes: Number(bytes),
          writtenUnixMs: Number(writtenUnixMs),
          firstDay,
          lastDay,
        },
      }),
    );
  }

  /** Time range of a part's spans, read from one column; {} if this column is damaged. */
  async #timeOf({
    database,
    table,
    part,
  }: StoredPart): Promise<Pick<DamagedPart, "startUnixMs" | "endUnixMs">> {
    try {
      const columns = await this.#run(
        `SELECT name FROM system.columns WHERE database = ${quoteString(database)} AND table = ${quoteString(table)} AND name IN ('start', 'minute') ORDER BY name DESC`,
      );
      const [column] = linesOf(columns).flat();
      if (column === undefined) {
        return {};
      }
      const [unixMs, length] =
        column === "start" ? ["toUnixTimestamp64Milli(start)", 0] : ["toInt64(minute) * 60000", 59_999];
      const bounds = await this.#run(
        `SELECT min(${unixMs}), max(${unixMs}) FROM ${nameOf({ database, table })} WHERE _part = ${quoteString(part)} SETTINGS max_threads = 1, max_execution_time = 30, use_skip_indexes = 0`,
      );
      const [startUnixMs = Number.NaN, endUnixMs = Number.NaN] = (linesOf(bounds)[0] ?? []).map(Number);
      return Number.isFinite(startUnixMs + endUnixMs)
        ? { startUnixMs, endUnixMs: endUnixMs + Number(length) }
        : {};
    } catch {
      return {};
    }
  }

  /**
   * Parts in folders `detached` that the store or the engine moved there. Parts that operators have detached are
   * excluded.
   */
  async droppable(): Promise<DroppablePart[]> {
    const text = await this.#run(
      "SELECT database, table, name, path, bytes_on_disk FROM system.detached_parts WHERE NOT match(name, '^(clone|attaching|deleting|tmp)')",
    );
    const parts: DroppablePart[] = [];
    for (const [database = "", table = "", name = "", path = "", bytes] of linesOf(text)) {
      const part = { database, table, name, path };
      if (await this.#missing.isOwn(part)) {
        parts.push({ ...part, bytes: Number(bytes), lastDay: await this.#missing.lastDayOf(part) });
      }
    }
    return parts;
  }

  /** Deletes the files of a detached part. @param isSaid true: answers still report that its rows are missing */
  async drop(part: DroppablePart, isSaid: boolean): Promise<void> {
    if (isSaid) {
      await this.#missing.noteDropped(part, Date.now());
    }
    await this.#run(
      `ALTER TABLE ${nameOf(part)} DROP DETACHED PART ${quoteString(part.name)} SETTINGS allow_drop_detached = 1`,
    );
    await this.look();
  }

  async #detached(): Promise<DetachedPart[]> {
    // A part that other parts cover is a leftover of the engine, so none of its rows are missing.
    const text = await this.#run(
      "SELECT database, table, name, path FROM system.detached_parts WHERE NOT match(name, '^(ignored|covered|clone|attaching|deleting|tmp)') ORDER BY database, table, name",
    );
    return linesOf(text).map(([database = "", table = "", name = "", path = ""]) => ({
      database,
      table,
      name,
      path,
    }));
  }

  /**
   * Counts the detached parts, because an operator may have restored or removed some of them.
   * @param found how the parts that the engine detached were found
   */
  async #count(found: "start" | "read"): Promise<void> {
    const news = await this.#missing.compare(await this.#detached());
    for (const part of news) {
      const { database, table } = part;
      this.#damaged.inc({ table: `${database}.${table}`, found });
      this.#parts.log.error(
        part,
        `a part of the store is damaged, the engine cannot load it: ${textOf(part)}`,
      );
    }
    const { length } = this.#missing;
    this.#setAside.set(length);
    this.#parts.health.degrade(
      "damaged-parts",
      length === 0
        ? undefined
        : `damaged parts of the store that are set aside: ${length}; answers lack what they hold`,
    );
  }

  /** Must be called after each statement that may have attached or dropped a part. */
  async tablesChanged(): Promise<void> {
    if (this.#missing.length > 0) {
      await this.look().catch(() => {});
    }
  }

  /** Counts the detached parts again; a timer calls this. */
  async look(): Promise<void> {
    await this.#count("read");
  }

  async #run(sql: string, tag = "damage"): Promise<string> {
    const { bytes } = await this.#parts.engine.run({ prepare: "", sql, format: "TSV", tag });
    return bytes.toString();
  }
}

function nameOf({ database, table }: Pick<StoredPart, "database" | "table">): string {
  return [database, table].map((name) => `\`${name.replace(/[\\`]/g, "\\$&")}\``).join(".");
}

function linesOf(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
}
