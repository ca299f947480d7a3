import type { IncomingMessage, ServerResponse } from "node:http";
import { ServerError } from "server-core/errors";

/**
 * The largest body of a request, 100 MiB; a larger one is 413. Source: the public model (Caddy 2.11), seen running
 */
export const maxBodyBytes = 100 * 1024 * 1024;

/** Bytes of a refused body that are read and dropped before the connection is cut. */
const maxDrainedBytes = 2 * maxBodyBytes;
/** How long a client whose body is refused may be silent before the connection is closed. */
const drainIdleMs = 2_000;

/** The error of a body over the limit. */
function tooLarge(): ServerError {
  return new ServerError("ADMIN_TOO_LARGE", `request body is larger than the limit of ${maxBodyBytes} bytes`);
}

/**
 * Reads the whole body of a request. A client that waits for `100 Continue` gets it here, so that one whose request is
 * refused before need not send its body at all.
 * @throws ServerError ADMIN_TOO_LARGE over {@link maxBodyBytes}, ADMIN_REQUEST when the client went away
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
  // Not `for await`: leaving that loop early destroys the request, and with it the connection of the answer.
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
 * Reads and drops the rest of a refused body. Otherwise closing the connection could reset it before the
 * client has read the answer. Ends with the body, after two silent seconds, when the client disconnects, or
 * when it sends without end.
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
