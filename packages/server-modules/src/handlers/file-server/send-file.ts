import { randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import { getHeader, removeHeaders, setContentLength, setHeader } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { runFor } from "server-core/threads/error-owner";
import { type ByteRange, parseRanges } from "../../files/byte-ranges.ts";
import { checkPreconditions, rangeAllowed } from "../../files/preconditions.ts";
import type { ServedFile } from "./served-file.ts";

/** Bytes of one read. Large reads need fewer system calls; backpressure from the client limits memory. */
const readBytes = 256 * 1024;

/** A file that is read over a network, one request for each range. */
export interface RemoteBytes {
  /** @throws HttpError when the file was replaced in the meantime, or cannot be read */
  readRange(range: ByteRange): AsyncGenerator<Buffer>;
}

/** The bytes of a file: in memory, an open file that the response closes, or on another machine. */
export type FileBytes = Buffer | FileHandle | RemoteBytes;

/** Maximum number of ranges of a file on another machine; a request for more gets the whole file. */
const maxRemoteRanges = 8;

/** Closes an open file. */
async function close(source: FileBytes): Promise<void> {
  if (!Buffer.isBuffer(source) && !("readRange" in source)) {
    await source.close();
  }
}

/** @throws HttpError when the file ends before the range: the length was sent already */
async function* readRange(source: FileBytes, range: ByteRange): AsyncGenerator<Buffer> {
  const { start, end } = range;
  if ("readRange" in source) {
    yield* source.readRange(range);
    return;
  }
  if (Buffer.isBuffer(source)) {
    yield source.subarray(start, end + 1);
    return;
  }
  for (let position = start; position <= end; ) {
    const length = Math.min(readBytes, end - position + 1);
    const { bytesRead, buffer } = await source.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) {
      throw new HttpError(500, "the file became shorter while it was sent");
    }
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Converts the chunks to a stream that reads at most one chunk ahead. */
function stream(chunks: AsyncGenerator<Buffer>): Readable {
  return Readable.from(chunks, { objectMode: false, highWaterMark: readBytes });
}

/** Generates the parts with their heads, then the final boundary. */
async function* multipart(
  source: FileBytes,
  ranges: readonly ByteRange[],
  heads: readonly string[],
  tail: string,
): AsyncGenerator<Buffer> {
  for (const [index, range] of ranges.entries()) {
    yield Buffer.from(heads[index] ?? "", "latin1");
    yield* readRange(source, range);
  }
  yield Buffer.from(tail, "latin1");
}

/** Sends several ranges as one response. Source: RFC 9110 section 14.6 */
async function sendRanges(
  exchange: Exchange,
  file: ServedFile,
  source: FileBytes,
  ranges: readonly ByteRange[],
): Promise<void> {
  const { responseHeaders } = exchange;
  const boundary = randomUUID().replaceAll("-", "");
  const type = getHeader(responseHeaders, "content-type");
  const heads = ranges.map(
    ({ start, end }, index) =>
      `${index === 0 ? "" : "\r\n"}--${boundary}\r\nContent-Range: bytes ${start}-${end}/${file.size}\r\n${
        type === undefined ? "" : `Content-Type: ${type}\r\n`
      }\r\n`,
  );
  const tail = `\r\n--${boundary}--\r\n`;
  const length = ranges.reduce(
    (sum, { start, end }, index) => sum + (heads[index]?.length ?? 0) + end - start + 1,
    tail.length,
  );
  removeHeaders(responseHeaders, (name) => name === "content-type");
  responseHeaders.push("Content-Type", `multipart/byteranges; boundary=${boundary}`);
  setContentLength(responseHeaders, length);
  if (exchange.method === "HEAD") {
    exchange.respond(206);
    return;
  }
  exchange.writeHead(206);
  await exchange.sendStream(stream(multipart(source, ranges, heads, tail)));
}

/** Sends one range, or the whole file, as the body. */
async function sendRange(
  exchange: Exchange,
  status: number,
  source: FileBytes,
  range: ByteRange,
): Promise<void> {
  const length = range.end - range.start + 1;
  setContentLength(exchange.responseHeaders, length);
  if (exchange.method === "HEAD") {
    exchange.respond(status);
  } else if (Buffer.isBuffer(source)) {
    exchange.respond(status, source.subarray(range.start, range.end + 1));
  } else if (length === 0) {
    exchange.respond(status);
  } else {
    exchange.writeHead(status);
    await exchange.sendStream(stream(readRange(source, range)));
  }
}

/** Header fields of a body. They are removed from a response without a body. */
const bodyFields = new Set(["content-type", "content-length", "content-encoding"]);
/** Header fields of the file. They would be wrong on an error page. */
const fileFields = new Set(["cache-control", "etag", "last-modified", "x-content-type-options"]);

/**
 * Refuses a range: removes the fields of the file, and sends the reason.
 * Source: Go, `net/http`, `serveError`
 */
function refuseRange(exchange: Exchange, text: string): void {
  const headers = exchange.responseHeaders;
  removeHeaders(headers, (name) => bodyFields.has(name) || fileFields.has(name));
  headers.push("Content-Type", "text/plain; charset=utf-8", "X-Content-Type-Options", "nosniff");
  const body = `${text}\n`;
  setContentLength(headers, body.length);
  if (exchange.method === "HEAD") {
    exchange.respond(416);
  } else {
    exchange.respond(416, body);
  }
}

/** Sends a status without a body. Fields of the body are removed, except with 412, as in Caddy. */
function sendEmpty(exchange: Exchange, status: 304 | 412): void {
  const headers = exchange.responseHeaders;
  const hasTag = getHeader(headers, "etag") !== undefined;
  removeHeaders(
    headers,
    (name) =>
      (status === 412 ? name === "content-length" : bodyFields.has(name)) ||
      // The tag makes the time redundant.
      (status === 304 && hasTag && name === "last-modified"),
  );
  if (status !== 304) {
    setContentLength(headers, 0);
  }
  exchange.respond(status);
}

/**
 * Evaluates conditions and ranges, and returns the part to send; undefined when the response was sent. If the status
 * comes from an error or the config, the whole file is sent. Conditions and ranges apply only to responses that would
 * be 200 (RFC 9110, 13.2.1 and 14.2).
 */
function prepare(
  exchange: Exchange,
  file: ServedFile,
  status: number,
): readonly ByteRange[] | "whole" | undefined {
  const { responseHeaders } = exchange;
  if (status !== 0) {
    setHeader(responseHeaders, "Accept-Ranges", "bytes");
    return "whole";
  }
  switch (checkPreconditions(exchange, file)) {
    case "failed":
      sendEmpty(exchange, 412);
      return undefined;
    case "not modified":
      sendEmpty(exchange, 304);
      return undefined;
    default:
  }
  const asked = exchange.header("range");
  const ranges = asked === "" || !rangeAllowed(exchange, file) ? "whole" : parseRanges(asked, file.size);
  switch (ranges) {
    case "unsatisfiable":
      setHeader(responseHeaders, "Content-Range", `bytes */${file.size}`);
      refuseRange(exchange, "invalid range: failed to overlap");
      return undefined;
    case "malformed":
      refuseRange(exchange, "invalid range");
      return undefined;
    default:
      setHeader(responseHeaders, "Accept-Ranges", "bytes");
      return ranges;
  }
}

/**
 * Answers with a file, or with the requested ranges of the file.
 * | Request | Answer |
 * |---|---|
 * | `If-Match`, `If-Unmodified-Since` fail | 412 |
 * | `If-None-Match`, `If-Modified-Since`: the client's copy is current | 304 |
 * | no `Range`, or `If-Range` names a different version | 200, whole |
 * | one range | 206 |
 * | several ranges | 206, `multipart/byteranges` |
 * | ranges outside of the file, or malformed | 416 |
 * @param status fixed status from the config or an error, with which the whole file is sent; 0: no fixed status
 * @param source closed at the end
 */
export function sendFile(
  exchange: Exchange,
  file: ServedFile,
  source: FileBytes,
  status: number,
): void | Promise<void> {
  const { responseHeaders } = exchange;
  const asked = prepare(exchange, file, status);
  const isTooMany = "readRange" in source && Array.isArray(asked) && asked.length > maxRemoteRanges;
  const ranges = isTooMany ? "whole" : asked;
  if (Buffer.isBuffer(source) && (ranges === undefined || ranges === "whole")) {
    if (ranges === "whole") {
      setContentLength(responseHeaders, file.size);
      exchange.respond(status || 200, exchange.method === "HEAD" ? "" : source);
    }
    return undefined;
  }
  return runFor(exchange, sendAndClose, exchange, file, source, { status, ranges });
}

/** The result of {@link prepare}, with the status of a whole-file response. */
interface Part {
  /** Status from the config or an error; 0 when neither sets one. */
  readonly status: number;
  /** Ranges to send; undefined when the response was sent already. */
  readonly ranges: readonly ByteRange[] | "whole" | undefined;
}

/** Sends a part of a file, and closes the file in every case. */
async function sendAndClose(
  exchange: Exchange,
  file: ServedFile,
  source: FileBytes,
  { status, ranges }: Part,
): Promise<void> {
  try {
    if (ranges === undefined) {
      return;
    }
    const [first, ...others] = ranges === "whole" ? [] : ranges;
    if (first === undefined) {
      await sendRange(exchange, status || 200, source, { start: 0, end: file.size - 1 });
    } else if (others.length === 0) {
      setHeader(exchange.responseHeaders, "Content-Range", `bytes ${first.start}-${first.end}/${file.size}`);
      await sendRange(exchange, 206, source, first);
    } else {
      await sendRanges(exchange, file, source, [first, ...others]);
    }
  } finally {
    await close(source);
  }
}
