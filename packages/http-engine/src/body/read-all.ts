import type { Readable } from "node:stream";
import { ServerError } from "server-core/errors";

/** Reads a whole body. @throws ServerError HTTP_BODY_TOO_LARGE over `maxBytes`, CLIENT_GONE */
export async function readAll(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) {
        throw new ServerError(
          "HTTP_BODY_TOO_LARGE",
          `request body is larger than the limit of ${maxBytes} bytes`,
        );
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ServerError
      ? error
      : new ServerError("CLIENT_GONE", "the client closed the connection", { cause: error });
  }
  return Buffer.concat(chunks, length);
}
