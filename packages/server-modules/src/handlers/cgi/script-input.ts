import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import { HttpError } from "http-engine/http-error";
import { ServerError } from "server-core/errors";

/** The body of a request as the program's standard input. */
export interface ScriptInput {
  /** Body length in bytes; undefined for a request without a body. */
  readonly length: number | undefined;
  /** The body: a stream or bytes that the server writes to the program, or a file that the program reads itself. */
  readonly source: Readable | Buffer | FileHandle | undefined;
}

/** Limits of a body without a declared length, which is collected before the script starts. */
export interface InputLimits {
  /** Maximum number of bytes that are kept in memory; a longer body goes to a file. */
  readonly memoryBytes: number;
  /** Maximum number of bytes of the body. A longer body is refused with 413. */
  readonly maxBytes: number;
}

/**
 * Opens a file without a name for one body. The file disappears when the last process with an open descriptor closes
 * it.
 */
async function openNamelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `cgi-body-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** Writes all bytes; one system call may write only a part. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Reads a body to its end: CGI needs `CONTENT_LENGTH` before the program starts. */
async function readWhole(body: Readable, { memoryBytes, maxBytes }: InputLimits): Promise<ScriptInput> {
  let chunks: Buffer[] = [];
  let length = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (length + chunk.length > maxBytes) {
        throw new HttpError(413, `request body is larger than the limit of ${maxBytes} bytes`);
      }
      if (file === undefined && length + chunk.length > memoryBytes) {
        file = await openNamelessFile();
        await writeAll(file, Buffer.concat(chunks), 0);
        chunks = [];
      }
      if (file === undefined) {
        chunks.push(chunk);
      } else {
        await writeAll(file, chunk, length);
      }
      length += chunk.length;
    }
  } catch (error) {
    await file?.close();
    throw error instanceof ServerError || (error as NodeJS.ErrnoException).syscall !== undefined
      ? error
      : new ServerError("CLIENT_GONE", "the client closed the connection", { cause: error });
  }
  return { length, source: file ?? Buffer.concat(chunks) };
}

/** The declared length; undefined for a missing or malformed length. */
function declaredLength(exchange: Exchange): number | undefined {
  const text = exchange.header("content-length");
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Prepares the body of a request for a program. A body of known length is streamed.
 * | Body | Standard input of the program |
 * |---|---|
 * | none | closed immediately |
 * | in memory already | the bytes |
 * | of known length | the client's stream |
 * | of unknown length, up to `memoryBytes` | the bytes, after the last byte has arrived |
 * | longer | a file without a name |
 * @throws HttpError 413 over `maxBytes`; ServerError CLIENT_GONE
 */
export function scriptInput(exchange: Exchange, limits: InputLimits): ScriptInput | Promise<ScriptInput> {
  if (!exchange.hasBody) {
    return { length: declaredLength(exchange), source: undefined };
  }
  const whole = exchange.wholeBody;
  if (whole !== undefined) {
    return { length: whole.length, source: whole };
  }
  const length = declaredLength(exchange);
  return length === undefined ? readWhole(exchange.body, limits) : { length, source: exchange.body };
}
