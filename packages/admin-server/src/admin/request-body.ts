import type { IncomingMessage, ServerResponse } from "node:http";
import { ServerError } from "server-core/errors";

/**
 * Maximum number of bytes of a request body: 100 MiB; a larger body gets 413. Source: Caddy 2.11,
 * observed behavior
 */
export const maxBodyBytes = 100 * 1024 * 1024;

/** Maximum number of bytes that are read and dropped from a refused body before its connection is closed. */
const maxDrainedBytes = 2 * maxBodyBytes;
/** Milliseconds of silence after which a connection with a refused body is closed. */
const drainIdleMs = 2_000;

/** The error for a body above the limit. */
function tooLarge(): ServerError {
  return new ServerError("ADMIN_TOO_LARGE", `request body is larger than the limit of ${maxBodyBytes} bytes`);
}

/**
 * Reads the whole body of a request. `100 Continue` is sent here, so a client whose request is refused earlier need not
 * send its body.
 * @throws ServerError ADMIN_TOO_LARGE above {@link maxBodyBytes}, ADMIN_REQUEST when the client disconnected
 */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) {
    throw tooLarge();
  }
  if (request.headers.expect?.toLowerCase() === "100-continue") {
    response.writeContinue();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const ended = Promise.withResolvers<void>();
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBodyBytes) {
      chunks.length = 0;
      ended.reject(tooLarge());
    } else {
      chunks.push(chunk);
    }
  };
  const lost = () => ended.reject(new ServerError("ADMIN_REQUEST", "request body ended early"));
  const done = () => {
    request.off("close", lost); // `close` follows, and an error without a listener would cost a stack
    ended.resolve();
  };
  // `for await` is not used, because leaving its loop early destroys the request and so the connection of the response.
  request.on("data", take).once("end", done).once("error", lost).once("close", lost);
  try {
    await ended.promise;
  } finally {
    request.off("data", take).off("end", done).off("error", lost).off("close", lost);
    request.on("error", () => {});
  }
  return Buffer.concat(chunks, length);
}

/**
 * Reads and drops the rest of a refused body. Otherwise, closing the connection might reset it before the client has
 * read the response. Reading ends with the body, after two seconds without data, when the client disconnects, or at the
 * limit.
 */
export async function drainBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) {
    return;
  }
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  const timer = setTimeout(end, drainIdleMs);
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    timer.refresh();
    if (length > maxDrainedBytes) {
      end();
    }
  });
  request.once("end", end).once("error", end).once("close", end);
  await ended.promise;
  clearTimeout(timer);
}
