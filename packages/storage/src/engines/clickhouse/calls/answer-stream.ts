import type { Readable } from "node:stream";
import { ClickHouseError } from "@clickhouse/client";
import type { Span } from "wire/model";
import { readStoredRows } from "wire/rows/read-stored-rows";
import { StorageError } from "../../../api/storage-error.ts";

/** Size of an answer, which the server announces in a header; it is the size of the rows in the server's memory. */
export interface AnswerSize {
  /** Number of rows, from the header of the answer. */
  readonly rows: number;
  /** Bytes of the rows. Absent when the server does not announce the size. */
  readonly bytes?: number;
}

/** Maximum number of bytes of an error's text that are read. The rest is dropped. */
const maxErrorBytes = 65_536;

/** Reads the whole body. @param maxBytes size limit; a longer body fails with STORAGE_TOO_LARGE */
export async function collect(stream: Readable, maxBytes: number, abort: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await handOn(stream, maxBytes, abort, (chunk) => {
    chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Passes the body on while it arrives. The next chunk is read after the receiver has accepted the previous chunk. */
export async function handOn(
  stream: Readable,
  maxBytes: number,
  abort: AbortSignal,
  take: (chunk: Buffer) => Promise<void> | void,
): Promise<void> {
  const onAbort = () => stream.destroy(new Error("aborted"));
  if (abort.aborted) {
    onAbort();
  }
  abort.addEventListener("abort", onAbort, { once: true });
  try {
    let length = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) {
        throw tooLarge(maxBytes);
      }
      await take(chunk);
    }
  } finally {
    abort.removeEventListener("abort", onAbort);
  }
}

/** The error for an answer with more bytes than `maxBytes`. */
export function tooLarge(maxBytes: number): StorageError {
  return new StorageError("STORAGE_TOO_LARGE", `the answer is longer than the limit of ${maxBytes} bytes`);
}

/** The first 64 KiB of a body, as text. */
export async function beginningOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxErrorBytes) {
      break;
    }
  }
  return Buffer.concat(chunks).toString("utf8", 0, maxErrorBytes);
}

/** Reads the announced size of an answer from its header. */
export function sizeOf(summary: string | string[] | undefined): AnswerSize | undefined {
  if (typeof summary !== "string") {
    return undefined;
  }
  const { result_rows: rows, result_bytes: bytes } = JSON.parse(summary) as {
    readonly result_rows?: string;
    readonly result_bytes?: string;
  };
  if (rows === undefined) {
    return undefined;
  }
  return { rows: Number(rows), ...(bytes === undefined ? {} : { bytes: Number(bytes) }) };
}

/** An error in the form that ClickHouse's client uses. */
export function answeredError(text: string, status: number): Error {
  const [, code, message = text] = /Code: (\d+)\.\s*(?:DB::Exception:\s*)?([\s\S]*)/.exec(text) ?? [];
  if (code === undefined) {
    return new Error(`HTTP status ${status}: ${text.trim()}`);
  }
  const type = /\(([A-Z0-9_]{3,})\)/.exec(message)?.[1];
  return new ClickHouseError({ code, message: message.trim(), ...(type === undefined ? {} : { type }) });
}

/**
 * Decodes stored rows. Only the codecs of this project are supported; other formats would need SQL.
 * @throws StorageError STORAGE_REFUSED
 */
export function decodeSpans(rows: Uint8Array): Span[] {
  return decoded(() => readStoredRows(rows));
}

/** Runs `decode` on stored rows. @throws StorageError STORAGE_REFUSED for unreadable rows */
export function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    const message = `stored rows cannot be read: ${(error as Error).message}`;
    throw new StorageError("STORAGE_REFUSED", message, { cause: error });
  }
}
