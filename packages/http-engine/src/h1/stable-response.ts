import { httpDate } from "http-protocols/http1/response-start";
import type { HeaderList } from "../header-list.ts";
import { isImmutable, maxKeptResponseBytes } from "../immutable-body-cache.ts";
import { encodeResponseFields, isSameList, statusLine } from "./response-head.ts";

/** The last sent response with one body. */
interface SentResponse {
  /** Status of the stored response. */
  readonly status: number;
  /** Fields of the stored response. A response with different fields is encoded again. */
  readonly headers: HeaderList;
  /** Value of `Date` in the stored response. */
  readonly date: string;
  /** Head and body in one buffer, so that one write sends both. */
  readonly bytes: Buffer;
}

const sent = new WeakMap<Uint8Array, SentResponse>();

/**
 * Head and body of a response in one buffer, for an HTTP/1.1 connection that stays open. The buffer is cached with the
 * body. Sending the same response again within the same second only costs a comparison.
 * @returns undefined when the response must be encoded in the usual way. That is so for a body that is empty, large,
 * not allowed or not immutable, and for a field that closes the connection or declares a wrong length
 * @throws ServerError HTTP_RESPONSE for a field that would split the response
 */
export function stableResponse(status: number, headers: HeaderList, body: Uint8Array): Buffer | undefined {
  const date = httpDate();
  const last = sent.get(body);
  if (
    last !== undefined &&
    last.status === status &&
    last.date === date &&
    isSameList(last.headers, headers)
  ) {
    return last.bytes;
  }
  if (
    body.length === 0 ||
    body.length > maxKeptResponseBytes ||
    !(status >= 200 && status <= 999) ||
    !isImmutable(body)
  ) {
    return undefined;
  }
  const fields = encodeResponseFields(headers, headers.length);
  if (
    status === 204 ||
    status === 304 ||
    fields.close ||
    (fields.contentLength ?? body.length) !== body.length
  ) {
    return undefined;
  }
  const head =
    statusLine(status) +
    fields.text +
    (fields.hasDate ? "" : `Date: ${date}\r\n`) +
    (fields.contentLength === undefined ? `Content-Length: ${body.length}\r\n` : "");
  const bytes = Buffer.concat([Buffer.from(`${head}\r\n`, "latin1"), body]);
  sent.set(body, { status, headers: [...headers], date, bytes });
  return bytes;
}
