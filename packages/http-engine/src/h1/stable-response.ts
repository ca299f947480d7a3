import type { HeaderList } from "../header-list.ts";
import { isStable, maxKeptResponseBytes } from "../stable-bodies.ts";
import { encodeResponseFields, httpDate, isSameList, statusLine } from "./response-head.ts";

/** A whole response as it was sent last with one body. */
interface SentResponse {
  /** Status of the answer that is kept whole. */
  readonly status: number;
  /** Its fields; an answer with other fields is encoded again. */
  readonly headers: HeaderList;
  /** Value of its field `Date`. */
  readonly date: string;
  /** Head and body in one buffer, so that one write sends both. */
  readonly bytes: Buffer;
}

const sent = new WeakMap<Uint8Array, SentResponse>();

/**
 * Head and body of a response in one piece, for a connection of HTTP/1.1 that stays open. It is kept with the
 * body: sending the same again, within the second for which its date is right, costs a comparison.
 * @returns undefined when the parts must be joined one by one: the body may change or is large, or the status
 *   has no body. Also when a field names the connection or a wrong length
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
    !isStable(body)
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
