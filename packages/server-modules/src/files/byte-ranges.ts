/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  /** Index of the first byte. */
  readonly start: number;
  /** Index of the last byte, which belongs to the range. Source: RFC 9110, section 14.1.2 */
  readonly end: number;
}

/** Maximum number of ranges in one request. A request with more gets the whole body. */
const maxRanges = 100;

/**
 * Reads a `Range` header. For a body of 100 bytes:
 * | Header | Result |
 * |---|---|
 * | `bytes=0-9` | the first ten |
 * | `bytes=-10` | the last ten |
 * | `bytes=90-` | the last ten |
 * | `bytes=0-9, 50-59` | two ranges |
 * | `bytes=200-` | `unsatisfiable` |
 * | `bytes=9-0` | `malformed` |
 * | `bytes=0-, 0-` | `whole` |
 * @returns the ranges within a body of `size` bytes, in the order of the request. The header is ignored ("whole") for
 *   another unit, no range, over 100 ranges, more bytes than the body has, or an empty body. Otherwise "unsatisfiable"
 *   or "malformed". Source: RFC 9110 section 14.1.2
 */
export function parseRanges(
  header: string,
  size: number,
): readonly ByteRange[] | "whole" | "unsatisfiable" | "malformed" {
  const unit = /^\s*([a-z0-9!#$%&'*+.^_`|~-]+)\s*=/i.exec(header);
  if (header === "" || unit?.[1]?.toLowerCase() !== "bytes") {
    return "whole";
  }
  const ranges: ByteRange[] = [];
  let named = 0;
  let total = 0;
  for (const part of header.slice(unit[0].length).split(",", maxRanges + 2)) {
    const text = part.trim();
    if (text === "") {
      continue;
    }
    named++;
    const match = /^(\d*)\s*-\s*(\d*)$/.exec(text);
    if (match === null || (match[1] === "" && match[2] === "")) {
      return "malformed";
    }
    const [first, last] = [match[1] ?? "", match[2] ?? ""];
    const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
    const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
    if (first !== "" && last !== "" && start < size && Number(first) > Number(last)) {
      return "malformed";
    }
    if (start < size && start <= end) {
      ranges.push({ start, end });
      total += end - start + 1;
    }
  }
  if (ranges.length === 0) {
    return size === 0 || named === 0 ? "whole" : "unsatisfiable";
  }
  return total > size || ranges.length > maxRanges ? "whole" : ranges;
}
