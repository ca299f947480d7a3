import { Http1Error } from "./http1-error.ts";
import { type RequestHead, RequestHeadReader } from "./request-head.ts";

const headEnd = Buffer.from("\r\n\r\n");
/** First head of an HTTP/2 client. The empty line after a head is not part of the compared text. */
const preface = "PRI * HTTP/2.0\r\n";
const lf = 0x0a;
const cr = 0x0d;

/** Finds the heads of requests in the bytes of a connection. */
export class HeadScanner {
  readonly #reader = new RequestHeadReader();
  /** Number of bytes that were searched for the end of a head. */
  #searched = 0;
  #used = 0;
  #isUnderWay = false;
  #isFirst = true;

  /** Number of bytes of the last head, with the empty lines around it. */
  get used(): number {
    return this.#used;
  }

  /** True when a head has begun to arrive but is not complete. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** True while no head has been found. */
  get isFirst(): boolean {
    return this.#isFirst;
  }

  /** Forgets the previous request. */
  rest(): void {
    this.#reader.rest();
  }

  /**
   * Searches for a head at the start of the bytes.
   * @param bytes all bytes since the last head. Each call passes the bytes of the previous call, with more bytes at
   * the end
   * @returns undefined while the head is incomplete; `preface` when the connection starts with the HTTP/2 preface
   * @throws Http1Error as early as possible, when the bytes are not a head or can never become one
   */
  scan(bytes: Buffer, maxHeaderBytes: number): RequestHead | "preface" | undefined {
    const again = this.#searched === 0 ? this.#reader.readAgain(bytes) : undefined;
    if (again !== undefined) {
      this.#used = bytes.length;
      return again;
    }
    // One empty line before a request is ignored: RFC 9112, section 2.2.
    const start = bytes[0] === cr && bytes[1] === lf ? 2 : 0;
    const end = bytes.indexOf(headEnd, Math.max(start, this.#searched - 3));
    if (end === -1 || end - start > maxHeaderBytes) {
      const fault = findHeadFault(bytes, start, this.#searched, maxHeaderBytes);
      if (fault !== undefined) {
        throw fault;
      }
      this.#searched = bytes.length;
      this.#isUnderWay = bytes.length > start;
      return undefined;
    }
    const text = bytes.toString("latin1", start, end + 2);
    this.#searched = 0;
    this.#isUnderWay = false;
    if (this.#isFirst && text === preface) {
      return "preface";
    }
    const head = this.#reader.read(text);
    this.#used = end + headEnd.length;
    this.#isFirst = false;
    return head;
  }
}

/**
 * Checks an incomplete head. A head that can never become valid is refused immediately.
 * @param start position of the head
 * @param searched number of bytes that were already checked
 * @returns the reason why the bytes cannot become a valid head; undefined while they still can
 */
function findHeadFault(
  bytes: Buffer,
  start: number,
  searched: number,
  maxHeaderBytes: number,
): Http1Error | undefined {
  let feed = bytes.indexOf(lf, Math.max(start, searched));
  while (feed !== -1) {
    if (feed === 0 || bytes[feed - 1] !== cr) {
      return new Http1Error("malformed", "a line of the head ends without CR");
    }
    feed = bytes.indexOf(lf, feed + 1);
  }
  const first = bytes[start];
  if (first !== undefined && first !== cr && (first < 0x21 || first > 0x7e)) {
    return new Http1Error("malformed", "not HTTP");
  }
  if (bytes.length - start > maxHeaderBytes) {
    return new Http1Error("head-too-large", `the head is over the limit of ${maxHeaderBytes} bytes`);
  }
  return undefined;
}
