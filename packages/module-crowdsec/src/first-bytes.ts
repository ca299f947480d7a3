import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Exchange } from "server-module-api";

/** Waits until a stream has more, or has ended. @throws the error of the stream */
async function whenReadable(body: Readable): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    await Promise.race([
      once(body, "readable", { signal }),
      once(body, "end", { signal }),
      once(body, "close", { signal }),
    ]);
  } finally {
    stop.abort();
  }
}

/** True for a gRPC stream, whose client may wait for an answer before it sends more. */
function isCall(exchange: Exchange): boolean {
  return (
    exchange.stream.bodyLength === undefined && /^application\/grpc\b/i.test(exchange.header("content-type"))
  );
}

/**
 * The first bytes of a request's body; empty for a gRPC stream. Later handlers read the body from its beginning.
 * @returns at most `most` bytes
 */
export async function firstBytes(exchange: Exchange, most: number): Promise<Buffer> {
  if (!exchange.hasBody || isCall(exchange)) {
    return Buffer.alloc(0);
  }
  const whole = exchange.wholeBody;
  if (whole !== undefined) {
    return whole.subarray(0, most);
  }
  const { body } = exchange;
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (bytes < most && !body.readableEnded && !body.destroyed) {
    const chunk = body.read() as Buffer | null;
    if (chunk === null) {
      await whenReadable(body);
    } else {
      chunks.push(chunk);
      bytes += chunk.length;
    }
  }
  const read = Buffer.concat(chunks, bytes);
  if (body.readableEnded) {
    exchange.replaceBody(read);
  } else if (bytes > 0) {
    body.unshift(read);
  }
  return read.subarray(0, most);
}
