import { Http1Error } from "./http1-error.ts";

const lf = 0x0a;
const cr = 0x0d;

/**
 * Checks an incomplete head. A head that can never become valid is refused immediately.
 * @param start position of the head
 * @param searched number of bytes that were already checked
 * @returns the reason why the bytes cannot become a valid head; undefined while they still can
 */
export function findHeadFault(
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
