import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { StartError } from "lifecycle/errors";
import { createTarDecoder, createTarPacker } from "modern-tar";
import { messageOf } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import { isStoredValue } from "./open-storage.ts";

/** Restrictive permissions, because an archive contains private keys. */
const archiveMode = 0o600;
/** Size limit of one value in bytes. Values are certificates, keys and accounts, which are small. */
const maxValueBytes = 16 * 1024 * 1024;
/** Size limit of all values together in bytes, because all are in memory before the first is stored. */
const maxArchiveBytes = 256 * 1024 * 1024;

/**
 * Writes all values of a storage as a tar archive, one at a time.
 * @param output file, written completely or not at all; "-" is standard output
 * @returns number of values. @throws ServerError, StartError
 */
export async function exportStorage(storage: Storage, output: string): Promise<number> {
  const temporary = `${output}.${process.pid}.tmp`;
  const { readable, controller } = createTarPacker();
  const target = output === "-" ? process.stdout : createWriteStream(temporary, { mode: archiveMode });
  const written = readable.pipeTo(Writable.toWeb(target));
  // The error is reported when the promise is awaited; before that, it must not count as unhandled.
  written.catch(() => {});
  let count = 0;
  try {
    for (const key of (await storage.list("")).filter(isStoredValue)) {
      const value = await storage.load(key);
      // A value may be deleted while other values are read.
      if (value !== undefined) {
        const writer = controller.add({ name: key, size: value.length, mode: archiveMode }).getWriter();
        if (value.length > 0) {
          await Promise.race([writer.write(value), written]);
        }
        await writer.close();
        count++;
      }
    }
    controller.finalize();
    await written;
    if (output !== "-") {
      await rename(temporary, output);
    }
    return count;
  } catch (error) {
    controller.error(error);
    if (output !== "-") {
      await rm(temporary, { force: true });
    }
    throw new StartError(`storage export: cannot write ${output}: ${messageOf(error)}`, { cause: error });
  }
}

/** Bytes of an archive without files: two blocks of zeros. */
const emptyArchiveBytes = 1024;

/** Passes bytes on, and detects an archive without files. */
class ArchiveInput {
  readonly #input: AsyncIterable<Uint8Array>;
  #bytes = 0;
  #isBlank = true;

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#input = input;
  }

  /** True when all bytes read so far were 0, and there were enough of them for an empty archive. */
  get isEmptyArchive(): boolean {
    return this.#isBlank && this.#bytes >= emptyArchiveBytes;
  }

  /** The bytes, unchanged. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#input) {
      this.#bytes += chunk.length;
      this.#isBlank &&= chunk.every((byte) => byte === 0);
      yield chunk;
    }
  }
}

/**
 * Reads every file of an archive. @throws Error for an invalid archive, for links, and for values above the size limit
 */
async function readArchive(input: Readable): Promise<Map<string, Buffer>> {
  const archive = new ArchiveInput(input);
  const entries = (Readable.toWeb(Readable.from(archive.chunks())) as ReadableStream<Uint8Array>).pipeThrough(
    createTarDecoder({ strict: true }),
  );
  const values = new Map<string, Buffer>();
  let total = 0;
  for await (const { header, body } of entries) {
    const { name, size, type = "file" } = header;
    if (type === "directory") {
      await body.cancel();
      continue;
    }
    if (type !== "file") {
      throw new Error(`${name} is a ${type}, and only files are values`);
    }
    if (/(?:^|\/)\.\.(?:\/|$)|\0/.test(name)) {
      throw new Error(`${JSON.stringify(name)} leads out of the storage`);
    }
    total += size;
    if (size > maxValueBytes || total > maxArchiveBytes) {
      throw new Error(
        `${name} has ${size} bytes, over the limit of ${maxValueBytes} for a value or ${maxArchiveBytes} for all`,
      );
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) {
      chunks.push(chunk);
    }
    const value = Buffer.concat(chunks);
    if (value.length !== size) {
      throw new Error(`the archive ends within ${name}`);
    }
    values.set(name.replace(/^(?:\.?\/)+/, ""), value);
  }
  if (values.size === 0 && !archive.isEmptyArchive) {
    throw new Error("it is no tar archive, or holds no files");
  }
  return values;
}

/**
 * Stores the files of a tar archive. The whole archive is read before the first file is stored, so a broken archive
 * changes nothing. Values that are not in the archive stay.
 * @param input file; "-" is standard input
 * @returns number of values. @throws ServerError, StartError
 */
export async function importStorage(storage: Storage, input: string): Promise<number> {
  let values: Map<string, Buffer>;
  try {
    values = await readArchive(input === "-" ? process.stdin : createReadStream(input));
  } catch (error) {
    throw new StartError(`storage import: cannot read ${input}: ${messageOf(error)}`, { cause: error });
  }
  let count = 0;
  for (const [key, value] of values) {
    if (isStoredValue(key)) {
      await storage.store(key, value);
      count++;
    }
  }
  return count;
}
