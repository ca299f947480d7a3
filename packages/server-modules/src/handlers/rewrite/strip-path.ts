import { textOfBytes } from "server-core/uri/text-of-bytes";

/** Splits a path into escapes and single code units. */
const pathUnits = /%[0-9a-f]{2}|[\s\S]/gi;
/** Splits a prefix or suffix into escapes and single characters. */
const textUnits = /%[0-9a-f]{2}|[\s\S]/giu;

/** True for `%XX`. */
function isEscape(unit: string): boolean {
  return unit.length === 3 && unit.startsWith("%");
}

/** The byte of an escape; other characters stay unchanged. */
function byteOf(unit: string): string {
  return isEscape(unit) ? String.fromCharCode(Number.parseInt(unit.slice(1), 16)) : unit;
}

/** Compares without regard to case. */
function same(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase();
}

/** Number of path units that match a prefix or suffix; undefined without a match. */
function countUnits(path: readonly string[], text: string, atEnd: boolean): number | undefined {
  const wanted = text.match(textUnits) ?? [];
  let taken = 0;
  for (const unit of atEnd ? wanted.reverse() : wanted) {
    const count = isEscape(unit) ? 1 : Buffer.byteLength(unit);
    const [start, end] = atEnd ? [path.length - taken - count, path.length - taken] : [taken, taken + count];
    const found = path.slice(Math.max(0, start), end);
    const isSame = isEscape(unit)
      ? same(found.join(""), unit)
      : same(textOfBytes(found.map(byteOf).join("")), unit);
    if (!isSame) {
      return undefined;
    }
    taken += count;
  }
  return taken;
}

/**
 * Removes a prefix from an escaped path, ignoring case. An escape in the path matches its character, unless the prefix
 * has an escape at the same place. Without the prefix `/api`, the path `/API/v1` becomes `/v1`, and so does
 * `/%61pi/v1`.
 * @returns the unchanged path when it does not begin with the prefix
 */
export function stripPrefix(path: string, prefix: string): string {
  if (!prefix.includes("%") && path.startsWith(prefix)) {
    return path.slice(prefix.length);
  }
  const units = path.match(pathUnits) ?? [];
  const count = countUnits(units, prefix, false);
  return count === undefined ? path : units.slice(count).join("");
}

/** Like {@link stripPrefix}, for the end of a path. */
export function stripSuffix(path: string, suffix: string): string {
  const units = path.match(pathUnits) ?? [];
  const count = countUnits(units, suffix, true);
  return count === undefined ? path : units.slice(0, units.length - count).join("");
}
