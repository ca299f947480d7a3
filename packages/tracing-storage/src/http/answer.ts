import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transform, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  createZstdCompress,
  deflate,
  gzip,
  zstdCompress,
} from "node:zlib";
import { createBlockCompressor } from "../compression/compressed-blocks.ts";
import { drain } from "./request-body.ts";

/** Size in bytes below which compression costs more than it saves. */
const minCompressedBytes = 1024;

interface Encoder {
  /** Compresses a whole body off the event loop. */
  whole(body: Buffer): Promise<Buffer>;
  stream(): Transform;
}

const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const zlibOptions = { level: 3 };

/** Encodings in order of preference. */
const encoders: ReadonlyMap<string, Encoder> = new Map([
  [
    "zstd",
    {
      whole: (body) => promisify(zstdCompress)(body, zstdOptions),
      stream: () => createZstdCompress(zstdOptions),
    },
  ],
  ["gzip", { whole: (body) => promisify(gzip)(body, zlibOptions), stream: () => createGzip(zlibOptions) }],
  [
    "br",
    {
      whole: (body) => promisify(brotliCompress)(body, brotliOptions),
      stream: () => createBrotliCompress(brotliOptions),
    },
  ],
  [
    "deflate",
    { whole: (body) => promisify(deflate)(body, zlibOptions), stream: () => createDeflate(zlibOptions) },
  ],
] satisfies [string, Encoder][]);

/** The most preferred encoding that the client accepts. */
function acceptedEncoding(request: IncomingMessage): string | undefined {
  const header = String(request.headers["accept-encoding"] ?? "");
  const accepted = new Set(
    header
      .split(",")
      .map((part) => part.trim().toLowerCase().split(";"))
      .filter(([, quality]) => !/^\s*q=0(\.0*)?$/.test(quality ?? ""))
      .map(([name]) => name),
  );
  return [...encoders.keys()].find((name) => accepted.has(name));
}

/** Maximum number of bytes that are read from the rest of a refused body before the connection is closed. */
const maxDrainedBytes = 64 * 1024 * 1024;
const maxDrainMs = 5_000;

/** Answers a request before its whole body was read, and closes the connection. */
export async function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: Buffer,
): Promise<void> {
  response.setHeader("Connection", "close");
  response.setHeader("Content-Length", body.length);
  response.writeHead(status);
  response.write(body);
  await drain(request, maxDrainedBytes, maxDrainMs);
  response.end();
}

/** The compression of an answer. */
export interface Packing {
  /** True: compressed with an encoding that the client accepts by Accept-Encoding. */
  readonly mayCompress: boolean;
  /** True: as ClickHouse's compressed blocks. In this form, Accept-Encoding has no effect. */
  readonly asBlocks: boolean;
}

export const unpacked: Packing = { mayCompress: false, asBlocks: false };

/** An answer that is sent as a whole. */
interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly packing: Packing;
}

/** Sends a complete body, compressed if the client accepts this; compression does not block the event loop. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, packing }: Answer,
): Promise<void> {
  let sent = body;
  if (packing.asBlocks) {
    const compressor = createBlockCompressor();
    compressor.end(body);
    sent = Buffer.concat(await compressor.toArray());
  } else if (packing.mayCompress && body.length >= minCompressedBytes) {
    const name = acceptedEncoding(request);
    const encoder = encoders.get(name ?? "");
    if (name !== undefined && encoder !== undefined) {
      sent = await encoder.whole(body);
      response.setHeader("Content-Encoding", name);
    }
  }
  response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("Content-Length", sent.length);
  response.writeHead(status);
  response.end(request.method === "HEAD" ? undefined : sent);
}

/** Writes, and waits while the receiver is slower. @returns false when the receiver does not read in time */
async function write(
  target: Writable,
  chunk: Buffer,
  response: ServerResponse,
  ms: number,
): Promise<boolean> {
  if (target.write(chunk)) {
    return true;
  }
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([
      once(target, "drain", { signal }),
      once(response, "close", { signal }),
      setTimeout(ms, undefined, { signal }),
    ]);
  } finally {
    over.abort();
  }
  return !response.destroyed && !target.writableNeedDrain;
}

interface StreamTerms {
  readonly packing: Packing;
  /** Time in milliseconds after which a client that reads nothing is disconnected. */
  readonly sendTimeoutMs: number;
  /**
   * Returns the last bytes of an incomplete body. Afterwards the connection is closed, so that the client does not take
   * the body for complete.
   */
  readonly failure: (error: unknown) => Buffer;
}

/** Sends a body with known first bytes, at the client's pace. */
export async function answerStream(
  request: IncomingMessage,
  response: ServerResponse,
  { head, rest }: { readonly head: Buffer; readonly rest: AsyncIterable<Buffer> },
  { packing, sendTimeoutMs, failure }: StreamTerms,
): Promise<void> {
  const name = packing.asBlocks || !packing.mayCompress ? undefined : acceptedEncoding(request);
  const transform = packing.asBlocks ? createBlockCompressor() : encoders.get(name ?? "")?.stream();
  if (name !== undefined) {
    response.setHeader("Content-Encoding", name);
  }
  response.setHeader("Vary", "Accept-Encoding");
  response.writeHead(200);
  transform?.pipe(response, { end: false });
  transform?.once("error", () => response.destroy());
  const target = transform ?? response;
  let broken: Buffer | undefined;
  try {
    let goesOn = request.method !== "HEAD" && (await write(target, head, response, sendTimeoutMs));
    if (goesOn) {
      for await (const chunk of rest) {
        goesOn = await write(target, chunk, response, sendTimeoutMs);
        if (!goesOn) {
          break;
        }
      }
    }
    if (!goesOn && request.method !== "HEAD") {
      response.destroy();
      return;
    }
  } catch (error) {
    broken = failure(error);
    target.write(broken);
  }
  if (response.destroyed) {
    transform?.destroy();
    return;
  }
  if (transform !== undefined) {
    transform.end();
    await Promise.race([once(transform, "end"), once(response, "close")]);
  }
  if (broken === undefined) {
    response.end();
  } else {
    response.write("", () => response.destroy());
  }
}
