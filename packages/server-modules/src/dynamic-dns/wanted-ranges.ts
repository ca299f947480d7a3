import { BlockList, isIP } from "node:net";

/** A parsed range of addresses. */
interface Range {
  /** Prefix length: the more bits, the narrower the range. */
  readonly bits: number;
  contains(ip: string): boolean;
}

/** Parses `192.0.2.0/24`; undefined for text that is no range. */
function readRange(text: string): Range | undefined {
  const [, address = "", digits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const [version, bits] = [isIP(address), Number(digits)];
  if (version === 0 || bits > (version === 4 ? 32 : 128)) {
    return undefined;
  }
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(address, bits, family);
  return { bits, contains: (ip) => isIP(ip) === version && list.check(ip, family) };
}

/** True for the text of a range, as `192.0.2.0/24`. */
export function isRange(text: string): boolean {
  return readRange(text) !== undefined;
}

/** Prefix length of the narrowest range that contains the address; -1 when no range does. */
function narrowest(texts: readonly string[], ip: string): number {
  const bits = texts.map((text) => {
    const range = readRange(text);
    return range?.contains(ip) ? range.bits : -1;
  });
  return Math.max(-1, ...bits);
}

/** Ranges as the config writes them. */
interface RangeChoice {
  readonly include?: readonly string[] | null | undefined;
  readonly exclude?: readonly string[] | null | undefined;
}

/**
 * True when an address is wanted: the narrowest range that contains the address decides. With `include: ["10.0.0.0/8"]`
 * and
 * `exclude: ["10.1.0.0/16"]`, 10.2.0.1 is wanted and 10.1.0.1 is not.
 * Source: mholt/caddy-dynamicdns, `IPRanges.Contains`
 */
export function isWanted({ include, exclude }: RangeChoice, ip: string): boolean {
  const [inside, outside] = [narrowest(include ?? [], ip), narrowest(exclude ?? [], ip)];
  return inside > outside || (outside === -1 && !include?.length);
}
