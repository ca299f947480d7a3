import { stat } from "node:fs/promises";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import { readRegularFile } from "server-core/files/read-regular-file";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** The largest database that is sold has about 300 MB. */
const maxFileBytes = 1024 * 1024 * 1024;
/** Milliseconds between two looks at the file. */
const lookMs = 60_000;

/** The facts that a database of any edition (country, city, ASN) may have of an address. */
export interface Location {
  /** Country; absent in databases of networks. */
  readonly country?: { readonly iso_code?: string };
  /** Regions, the largest first. */
  readonly subdivisions?: readonly { readonly iso_code?: string }[];
  /** Place; only the metro code is read. */
  readonly location?: { readonly metro_code?: number };
  /** Number of the network that announces the address. */
  readonly autonomous_system_number?: number;
}

/** The part of the library's reader that is used. */
interface Reader {
  /** Looks an address up; null for an address that the database lacks. */
  get(address: string): Location | null;
}

/**
 * A database of MaxMind's format in memory. Its file is looked at every minute, and read again when it was
 * replaced by a new edition. A file that cannot be read leaves the old one in use.
 */
export class LocationDatabase implements SharedResource {
  /** File of the database. */
  readonly #path: string;
  readonly #log: Logger;
  /** Answers; replaced as a whole by a new edition. */
  #reader: Reader;
  /** Time, size and inode of the file that was read. */
  #version: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(path: string, log: Logger, reader: Reader, version: string) {
    this.#path = path;
    this.#log = log;
    this.#reader = reader;
    this.#version = version;
    this.#timer = setInterval(() => void this.look(), lookMs).unref();
  }

  /** @throws ServerError MODULE_CONFIG when the file is not there or is no such database */
  static async open(path: string, log: Logger): Promise<LocationDatabase> {
    try {
      const version = await versionOf(path);
      return new LocationDatabase(path, log, await read(path), version);
    } catch (error) {
      throw new ServerError("MODULE_CONFIG", `db_path ${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Undefined for an address that the database does not contain. @param address without a zone */
  find(address: string): Location | undefined {
    return this.#reader.get(address) ?? undefined;
  }

  /** Reads the file again if it was replaced. Never fails. */
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

/** Tells editions apart without reading them. */
async function versionOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  return `${mtimeMs} ${size} ${ino}`;
}

/** Reads the whole file. @throws Error when it is absent, too large, or no database */
async function read(path: string): Promise<Reader> {
  const { Reader: MaxmindReader } = await import("mmdb-lib"); // when it is needed: few configs ask where clients are
  return new MaxmindReader(await readRegularFile(path, maxFileBytes)) as unknown as Reader;
}
