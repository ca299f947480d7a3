import type { IncomingMessage } from "node:http";
import { QueryError } from "../query-error.ts";

/** All of a request's body. @throws QueryError QUERY_TOO_LARGE; what is left of the body is not read */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new QueryError(
      "QUERY_TOO_LARGE",
      `the body is over the limit of ${maxBytes} bytes of --query.max-upload-size`,
    );
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
