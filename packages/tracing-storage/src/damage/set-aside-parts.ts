import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PartialReason } from "storage/api";

/** A part in the engine's list of parts. */
export interface StoredPart {
  readonly database: string;
  readonly table: string;
  /** Name of the part, such as `20261126_1_4_1`. */
  readonly part: string;
  readonly rows: number;
  /** Size on disk in bytes, compressed. */
  readonly bytes: number;
  /** Time at which the part was written; 0: unknown. */
  readonly writtenUnixMs: number;
  /** First and last day of the part's rows, such as `2026-11-26`; "" for a table without days. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** A damaged part, with the time range of its spans if it is known. */
export interface DamagedPart extends StoredPart {
  /** Earliest start of the part's spans, in milliseconds since 1970; absent: unknown. */
  readonly startUnixMs?: number;
  /** Latest time of the part's spans, in milliseconds since 1970; absent: unknown. */
  readonly endUnixMs?: number;
  /** Time at which the part's files were deleted. Absent: the files still exist, and the part can be restored. */
  readonly droppedUnixMs?: number;
}

/** A part in a folder `detached`. */
export interface DetachedPart {
  readonly database: string;
  readonly table: string;
  /** Name of the folder: the part's name, which may have a prefix for the reason of detaching. */
  readonly name: string;
  /** Path of the folder. */
  readonly path: string;
}

/**
 * Maximum number of reasons in the header of an answer. If there are more parts, the header has one reason for each
 * table.
 */
const maxNamed = 20;

const dayMs = 86_400_000;

/** Time in milliseconds for which answers are marked as partial after a part was dropped: 30 days. */
const droppedSaidMs = 30 * dayMs;

/** Pattern for the name of a part: `20261126_1_4_1`, `all_1_1_0`. */
const partName = /((?:all|\d{1,8}|[0-9a-f]{32})_\d+_\d+_\d+(?:_\d+)?)(?:_try\d+)?$/;

/**
 * The damaged parts that are detached, with facts about them. The engine has only the name of a detached part, so a
 * file stores the other facts for the next start.
 */
export class SetAsideParts {
  readonly #file: string;
  #notes: Map<string, DamagedPart> | undefined;
  #parts: readonly DamagedPart[] = [];
  #dropped: readonly DamagedPart[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  get length(): number {
    return this.#parts.length;
  }

  /**
   * True for a part that the store has detached, or that the engine could not load; false for parts that operators have
   * detached.
   */
  async isOwn({ database, table, name }: DetachedPart): Promise<boolean> {
    const note = (await this.#load()).get(keyOf({ database, table, part: name }));
    return note === undefined ? partName.exec(name)?.index !== 0 : note.bytes > 0;
  }

  /** The last day of a detached part's rows; "" for an unknown day. */
  async lastDayOf({ database, table, name }: DetachedPart): Promise<string> {
    const part = partName.exec(name)?.[1] ?? name;
    return (await this.#load()).get(keyOf({ database, table, part }))?.lastDay ?? "";
  }

  /** Records that the files of a part were deleted. Answers continue to report the missing rows. */
  async noteDropped({ database, table, name }: DetachedPart, droppedUnixMs: number): Promise<void> {
    const notes = await this.#load();
    const part = partName.exec(name)?.[1] ?? name;
    const note = notes.get(keyOf({ database, table, part }));
    if (note !== undefined) {
      notes.set(keyOf(note), { ...note, droppedUnixMs });
      await this.#save(notes);
    }
  }

  /** Records a part before it is detached, so that every answer without its rows mentions this. */
  async note(part: DamagedPart): Promise<void> {
    const notes = await this.#load();
    notes.set(keyOf(part), part);
    this.#parts = [...this.#parts, part];
    await this.#save(notes);
  }

  /**
   * Compares the recorded parts with the engine's folders, because operators may have restored or removed parts.
   * @returns parts that were not recorded, because the engine itself detached them
   */
  async compare(detached: readonly DetachedPart[], nowUnixMs = Date.now()): Promise<DamagedPart[]> {
    const notes = await this.#load();
    const news: DamagedPart[] = [];
    const parts: DamagedPart[] = [];
    for (const each of detached) {
      const part = partName.exec(each.name)?.[1] ?? each.name;
      const key = keyOf({ ...each, part });
      let known = notes.get(key);
      if (known === undefined) {
        known = await readDetached(each, part);
        notes.set(key, known);
        news.push(known);
      }
      parts.push(known);
    }
    const there = new Set(parts.map(keyOf));
    const isSaid = ({ droppedUnixMs = 0 }: DamagedPart) => nowUnixMs - droppedUnixMs < droppedSaidMs;
    const absent = [...notes].filter(([key]) => !there.has(key));
    this.#dropped = absent.map(([, note]) => note).filter(isSaid);
    const gone = absent.filter(([, note]) => !isSaid(note)).map(([key]) => key);
    for (const key of gone) {
      notes.delete(key);
    }
    this.#parts = parts;
    if (news.length > 0 || gone.length > 0) {
      await this.#save(notes);
    }
    return news;
  }

  /**
   * The reasons why a statement's answer is partial. @param sql returns the statement, which is searched for table
   * names
   */
  missingFrom(sql: () => string): PartialReason[] {
    if (this.#parts.length + this.#dropped.length === 0) {
      return [];
    }
    const text = sql();
    const missing = [...this.#parts, ...this.#dropped].filter(({ table }) => namesTable(text, table));
    return missing.length <= maxNamed ? missing.map(reasonOf) : reasonsByTable(missing);
  }

  async #load(): Promise<Map<string, DamagedPart>> {
    if (this.#notes !== undefined) {
      return this.#notes;
    }
    const notes = new Map<string, DamagedPart>();
    try {
      const kept: unknown = JSON.parse(await readFile(this.#file, "utf8"));
      if (Array.isArray(kept)) {
        for (const part of kept) {
          if (isDamagedPart(part)) {
            notes.set(keyOf(part), part);
          }
        }
      }
    } catch {
      // The file is missing or damaged. In this case, the names of the folders still identify the parts.
    }
    this.#notes = notes;
    return notes;
  }

  async #save(notes: ReadonlyMap<string, DamagedPart>): Promise<void> {
    const temporary = `${this.#file}.new`;
    await writeFile(temporary, JSON.stringify([...notes.values()]), { mode: 0o600 });
    await rename(temporary, this.#file);
  }
}

/** A sentence for users about the rows that are missing without a part. */
export function textOf({ database, table, part, rows, droppedUnixMs, ...time }: DamagedPart): string {
  const count = rows === 0 ? "its rows" : `${rows} rows`;
  return `part ${part} of ${database}.${table} is damaged and ${droppedUnixMs === undefined ? "set aside" : "dropped"}: ${count}${timeText(time)} are missing from answers`;
}

function timeText({
  startUnixMs,
  endUnixMs,
  firstDay,
  lastDay,
}: Pick<DamagedPart, "startUnixMs" | "endUnixMs" | "firstDay" | "lastDay">): string {
  if (startUnixMs !== undefined && endUnixMs !== undefined) {
    return ` from ${clock(startUnixMs)} to ${clock(endUnixMs)} UTC`;
  }
  return firstDay === "" ? "" : ` received from ${firstDay} to ${lastDay}`;
}

function clock(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace("T", " ");
}

function reasonOf(part: DamagedPart): PartialReason {
  const { database, table, part: name } = part;
  return {
    kind: "part-damaged",
    name: `${database}.${table} ${name}`,
    text: textOf(part),
    ...missingTime([part]),
  };
}

function reasonsByTable(parts: readonly DamagedPart[]): PartialReason[] {
  const tables = Map.groupBy(parts, ({ database, table }) => `${database}.${table}`);
  return [...tables].map(([name, some]) => ({
    kind: "part-damaged",
    name,
    text: `${some.length} parts of ${name} are damaged: what they hold is missing from answers`,
    ...missingTime(some),
  }));
}

/** Time from the first to the last span of several parts; empty if the range of any part is unknown. */
function missingTime(parts: readonly DamagedPart[]): Pick<PartialReason, "startUnixMs" | "endUnixMs"> {
  const times = parts.map(knownTime);
  if (times.includes(undefined)) {
    return {};
  }
  const known = times as { startUnixMs: number; endUnixMs: number }[];
  return {
    startUnixMs: Math.min(...known.map(({ startUnixMs }) => startUnixMs)),
    endUnixMs: Math.max(...known.map(({ endUnixMs }) => endUnixMs)),
  };
}

/** Spans may start on the day before they are received, or on the day after it if clocks differ. */
function knownTime({ startUnixMs, endUnixMs, firstDay, lastDay }: DamagedPart) {
  if (startUnixMs !== undefined && endUnixMs !== undefined) {
    return { startUnixMs, endUnixMs };
  }
  if (firstDay === "") {
    return undefined;
  }
  return { startUnixMs: Date.parse(firstDay) - dayMs, endUnixMs: Date.parse(lastDay) + 2 * dayMs };
}

/**
 * True when the statement reads the table. False when the name is part of a longer name or of a quoted text, because
 * such a statement does not read the rows.
 */
function namesTable(sql: string, table: string): boolean {
  const isWord = (character: string | undefined) => character !== undefined && /[\w']/.test(character);
  for (let at = sql.indexOf(table); at !== -1; at = sql.indexOf(table, at + 1)) {
    if (!isWord(sql[at - 1]) && !isWord(sql[at + table.length])) {
      return true;
    }
  }
  return false;
}

/** Facts about a part that was not recorded, read from its files. */
async function readDetached({ database, table, path }: DetachedPart, part: string): Promise<DamagedPart> {
  const rows = Number(await readFile(join(path, "count.txt"), "utf8").catch(() => "0"));
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)_/.exec(part) ?? [];
  const ofDay = year === undefined ? "" : `${year}-${month}-${day}`;
  const isDay = !Number.isNaN(Date.parse(ofDay));
  return {
    ...{
      database,
      table,
      part,
      bytes: 0,
      writtenUnixMs: 0,
      firstDay: isDay ? ofDay : "",
      lastDay: isDay ? ofDay : "",
    },
    rows: Number.isSafeInteger(rows) && rows > 0 ? rows : 0,
  };
}

function keyOf({ database, table, part }: Pick<StoredPart, "database" | "table" | "part">): string {
  return `${database}.${table} ${part}`;
}

function isDamagedPart(part: unknown): part is DamagedPart {
  if (part === null || typeof part !== "object") {
    return false;
  }
  const fields = part as Record<string, unknown>;
  const isText = (name: string) => typeof fields[name] === "string";
  const isTime = (name: string) => fields[name] === undefined || Number.isFinite(fields[name]);
  return (
    ["database", "table", "part", "firstDay", "lastDay"].every(isText) &&
    ["rows", "bytes", "writtenUnixMs"].every((name) => Number.isFinite(fields[name])) &&
    ["startUnixMs", "endUnixMs", "droppedUnixMs"].every(isTime)
  );
}
