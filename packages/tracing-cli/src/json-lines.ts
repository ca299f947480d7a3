import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CliError } from "./cli-error.ts";

/**
 * Bytes of a line after unpacking; a line is a trace. A longer line ends the import, since a line is held in memory.
 */
const maxLine = 64 * 1024 * 1024;

/**
 * The bytes of a stream, unpacked where they are gzip. The first two bytes tell: 1f 8b. The name of the file does not
 * count, so packed bytes may come through a pipe as well. A stream whose first piece has one byte counts as plain.
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
  if (begin[0] !== 0x1f || begin[1] !== 0x8b) {
    yield* all as AsyncGenerator<Buffer>;
    return;
  }
  const gunzip = createGunzip();
  // The unpacker is fed beside the reading of its output. A fault of the source destroys the unpacker, whose reader
  // then fails with the same error.
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
 * Lines of a stream of text or of gzip, without their line break. A last line without a line break counts as well.
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
