import type { Readable } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import { getHeader } from "http-engine/header-list";
import { ServerError } from "server-core/errors";

export interface RequestBody {
  /** Buffered bytes, the client's stream, or undefined without a body. */
  readonly content: Readable | Uint8Array | undefined;
  /**
   * Body length in bytes; undefined when unknown. Without a body, the length is 0 when the client sent `Content-Length:
   * 0`.
   */
  readonly length: number | undefined;
  /** True when the beginning was read and put back. The client's stream was used, but no upstream received a byte. */
  readonly isPutBack?: boolean;
}

/** The length that the client declared; undefined for a missing or malformed length. */
function declaredLength(exchange: Exchange): number | undefined {
  const text = getHeader(exchange.requestHeaders, "content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * True when another attempt can send the whole body.
 * @param reached true when an attempt connected to its upstream, and so may have consumed part of the body
 */
export function isRepeatable(body: RequestBody, exchange: Exchange, reached: boolean): boolean {
  if (body.content === undefined || body.content instanceof Uint8Array) {
    return true;
  }
  return body.isPutBack === true ? !reached : !exchange.bodyTouched;
}

/** Wraps the unread body of a request. */
export function requestBody(exchange: Exchange): RequestBody {
  if (!exchange.hasBody) {
    return { content: undefined, length: declaredLength(exchange) === 0 ? 0 : undefined };
  }
  const whole = exchange.wholeBody;
  if (whole !== undefined && exchange.requestTrailers.length === 0) {
    return { content: whole, length: whole.length };
  }
  return { content: exchange.body, length: declaredLength(exchange) };
}

/**
 * Buffers a body before it is sent.
 * @param limit maximum number of buffered bytes; further bytes are streamed. Infinity buffers everything
 * @throws ServerError CLIENT_GONE, or any error of the body stream
 */
export async function bufferBody(body: RequestBody, limit: number): Promise<RequestBody> {
  const { content } = body;
  if (content === undefined || content instanceof Uint8Array) {
    return body;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let over = false;
  try {
    for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      over = bytes > limit;
      if (over) {
        break;
      }
    }
  } catch (error) {
    throw error instanceof ServerError
      ? error
      : new ServerError("CLIENT_GONE", "the client closed the connection", { cause: error });
  }
  const all = Buffer.concat(chunks, bytes);
  if (!over) {
    return { content: all, length: bytes };
  }
  content.unshift(all);
  return { ...body, isPutBack: true };
}
