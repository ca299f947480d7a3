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

/** Large reads keep the count of system calls low; backpressure of the client limits them. */
const readBytes = 256 * 1024;

/** Where the bytes are: in memory, or in a file that is open and closed by the answer. */
export type FileBytes = Buffer | FileHandle;

/** Closes a file; bytes in memory need nothing. */
async function close(source: FileBytes): Promise<void> {
  if (!Buffer.isBuffer(source)) {
    await source.close();
  }
}

/** @throws HttpError when the file ends before the range does: its length was promised already */
async function* readRange(source: FileBytes, { start, end }: ByteRange): AsyncGenerator<Buffer> {
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

/** Chunks as a stream that reads at most one chunk ahead. */
function stream(chunks: AsyncGenerator<Buffer>): Readable {
  return Readable.from(chunks, { objectMode: false, highWaterMark: readBytes });
}

/** Parts with their heads, and the end. */
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

/** Answers with several ranges. Source: RFC 9110 section 14.6 */
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

/** One part, or the whole file, as the body. */
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

/** Fields about a body that is not sent. */
const bodyFields = new Set(["content-type", "content-length", "content-encoding"]);
/** Fields about the file, wrong for an error page. */
const fileFields = new Set(["cache-control", "etag", "last-modified", "x-content-type-options"]);

/**
 * Answers a range that cannot be sent: removes the fields about the file, and names the fault.
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

/** Answers with a status only. Fields about the body are removed, except with 412, as in the model. */
function sendEmpty(exchange: Exchange, status: 304 | 412): void {
  const headers = exchange.responseHeaders;
  const hasTag = getHeader(headers, "etag") !== undefined;
  removeHeaders(
    headers,
    (name) =>
      (status === 412 ? name === "content-length" : bodyFields.has(name)) ||
      // The tag says all that the time does.
      (status === 304 && hasTag && name === "last-modified"),
  );
  if (status !== 304) {
    setContentLength(headers, 0);
  }
  exchange.respond(status);
}

/**
 * The part to send after conditions and ranges; undefined when the answer was given. Where an error or the config names the
 * status, the page is sent whole: both are for answers that would be 200 (RFC 9110, 13.2.1 and 14.2).
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
 * Answers with a file, or with the requested ranges of it.
 * | Request | Answer |
 * |---|---|
 * | `If-Match`, `If-Unmodified-Since` do not hold | 412 |
 * | `If-None-Match`, `If-Modified-Since` say that it is known | 304 |
 * | no `Range`, or `If-Range` names another version | 200, whole |
 * | one range | 206 |
 * | several ranges | 206, `multipart/byteranges` |
 * | ranges outside of the file, or malformed | 416 |
 * @param status of the answer, which is the whole file then, where the config or an error names one; 0 otherwise
 * @param source closed in the end
 */
export function sendFile(
  exchange: Exchange,
  file: ServedFile,
  source: FileBytes,
  status: number,
): void | Promise<void> {
  const { responseHeaders } = exchange;
  const ranges = prepare(exchange, file, status);
  if (Buffer.isBuffer(source) && (ranges === undefined || ranges === "whole")) {
    if (ranges === "whole") {
      setContentLength(responseHeaders, file.size);
      exchange.respond(status || 200, exchange.method === "HEAD" ? "" : source);
    }
    return undefined;
  }
  return runFor(exchange, sendAndClose, exchange, file, source, { status, ranges });
}

/** The answer of {@link prepare}, with the status that it has as a whole file. */
interface Part {
  /** Status that the config or an error names; 0 for none. */
  readonly status: number;
  /** Ranges to send; undefined when the answer was given. */
  readonly ranges: readonly ByteRange[] | "whole" | undefined;
}

/** Sends a part of a file, and closes the file whatever happens. */
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
