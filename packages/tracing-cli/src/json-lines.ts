import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CliError } from "./cli-error.ts";

/**
 * Maximum number of bytes of an unpacked line, which is a trace. A longer line ends the import, because a line is held
 * in memory.
 */
const maxLine = 64 * 1024 * 1024;

/**
 * The bytes of a stream; gzip is unpacked. The first two bytes 1f 8b identify gzip. The name of the file does not
 * count, so a pipe can also deliver gzip. A stream whose first piece has one byte counts as plain text.
 */
async function* unpacked(source: Readable): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) {
    return;
  }
  const begin = Buffer.from(first.value as Buffer);
  const all = (async function* () {
    yield begin;
    yield* { [Symbol.asyncIterator]: () => pieces };
  })();
  if (begin.toString("latin1", 0, 4) === "PAR1") {
    throw new CliError(
      "a Parquet file cannot be read from a pipe, because its index is at its end: name the file",
    );
  }
  if (begin[0] !== 0x1f || begin[1] !== 0x8b) {
    yield* all as AsyncGenerator<Buffer>;
    return;
  }
  const gunzip = createGunzip();
  // This function writes to the unpacker while the loop below reads its output. A fault of the source destroys the
  // unpacker, so the loop fails with the same error.
  const feed = (async () => {
    for await (const piece of all) {
      if (!gunzip.write(piece)) {
        await new Promise((resolve) => gunzip.once("drain", resolve));
      }
    }
    gunzip.end();
  })();
  feed.catch((error: Error) => gunzip.destroy(error));
  yield* gunzip as AsyncIterable<Buffer>;
}

/**
 * Lines of a stream of text or of gzip, without their line break. The last line may lack its line break.
 * @throws CliError for a line over the limit, or a stream that breaks off
 */
export async function* readLines(source: Readable): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of unpacked(source)) {
      let from = 0;
      for (let end = piece.indexOf(0x0a); end !== -1; end = piece.indexOf(0x0a, from)) {
        rest.push(piece.subarray(from, end));
        yield Buffer.concat(rest).toString();
        rest = [];
        length = 0;
        from = end + 1;
      }
      rest.push(piece.subarray(from));
      length += piece.length - from;
      if (length > maxLine) {
        throw new CliError(`a line is longer than ${maxLine} bytes`);
      }
    }
  } catch (error) {
    throw error instanceof CliError ? error : new CliError((error as Error).message, 1, { cause: error });
  }
  if (length > 0) {
    yield Buffer.concat(rest).toString();
  }
}
