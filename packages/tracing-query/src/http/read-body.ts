import type { IncomingMessage } from "node:http";
import { QueryError } from "../query-error.ts";

export interface BodyLimit {
  /** The option that sets the limit; undefined for a fixed limit. */
  readonly name?: string;
  readonly bytes: number;
}

/**
 * The whole body of a request. @throws QueryError QUERY_TOO_LARGE, and then the rest of the body is not read
 */
export async function readBody(request: IncomingMessage, { name, bytes }: BodyLimit): Promise<Buffer> {
  const tooLarge = () =>
    new QueryError(
      "QUERY_TOO_LARGE",
      `the body is over the limit of ${bytes} bytes${name === undefined ? "" : ` of --${name}`}`,
      { parameter: "body", limit: { name: name ?? "maxLength", value: bytes } },
    );
  if (Number(request.headers["content-length"] ?? 0) > bytes) {
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytes) {
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
