import { stat } from "node:fs/promises";
import {
  type Logger,
  messageOf,
  type ResourceKind,
  readRegularFile,
  ServerError,
  type SharedResource,
} from "server-module-api";

/**
 * Maximum number of bytes of a database file. A larger file is an error. The largest commercial databases have about
 * 300 MB.
 */
const maxFileBytes = 1024 * 1024 * 1024;
/** Milliseconds between two checks of the file. */
const lookMs = 60_000;

/** Facts about an address; each edition of the database (country, city, ASN) contains some of them. */
export interface Location {
  /** Country; absent in network databases. */
  readonly country?: { readonly iso_code?: string };
  /** Regions that contain the address, the largest first. */
  readonly subdivisions?: readonly { readonly iso_code?: string }[];
  /** Place; only the metro code is used. */
  readonly location?: { readonly metro_code?: number };
  /** Number of the autonomous system that announces the address. */
  readonly autonomous_system_number?: number;
}

/** The part of the library's reader that is needed. */
interface Reader {
  /** Looks up an address; null for an unknown address. */
  get(address: string): Location | null;
}

/**
 * A MaxMind database in memory. Its file is checked every minute, and read again after a replacement. If the new file
 * cannot be read, the old data stays in use.
 */
export class LocationDatabase implements SharedResource {
  readonly #path: string;
  readonly #log: Logger;
  /** Reader of the current data; a new edition replaces it. */
  #reader: Reader;
  /** Time, size and inode of the loaded file. */
  #version: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(path: string, log: Logger, reader: Reader, version: string) {
    this.#path = path;
    this.#log = log;
    this.#reader = reader;
    this.#version = version;
    this.#timer = setInterval(() => void this.look(), lookMs).unref();
  }

  /** @throws ServerError MODULE_CONFIG when the file is missing or is not a MaxMind database */
  static async open(path: string, log: Logger): Promise<LocationDatabase> {
    try {
      const version = await versionOf(path);
      return new LocationDatabase(path, log, await read(path), version);
    } catch (error) {
      throw new ServerError("MODULE_CONFIG", `db_path ${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** @param address without a zone. @returns undefined for an unknown address */
  find(address: string): Location | undefined {
    return this.#reader.get(address) ?? undefined;
  }

  /** Reads the file again if it was replaced. The method never rejects. */
  async look(): Promise<void> {
    try {
      const version = await versionOf(this.#path);
      if (version !== this.#version) {
        this.#reader = await read(this.#path);
        this.#version = version;
        this.#log.info(`locations: ${this.#path} was replaced and read again`);
      }
    } catch (error) {
      this.#log.warn(`locations: ${this.#path}: ${messageOf(error)}; the old one goes on`);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Databases by path, shared by all configs of a thread. */
export const locationDatabases: ResourceKind<LocationDatabase> = {
  name: "http.matchers.maxmind_geolocation",
};

/** Identifies an edition without reading the file. */
async function versionOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  return `${mtimeMs} ${size} ${ino}`;
}

/** Reads the whole file. @throws Error when the file is missing, too large, or not a database */
async function read(path: string): Promise<Reader> {
  const { Reader: MaxmindReader } = await import("mmdb-lib"); // loaded on first use
  return new MaxmindReader(await readRegularFile(path, maxFileBytes)) as unknown as Reader;
}
