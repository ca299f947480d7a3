import { isIP, SocketAddress } from "node:net";

function maskV4(address: string, bits: number): string {
  const value = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const kept = bits === 0 ? 0 : Math.floor(value / 2 ** (32 - bits)) * 2 ** (32 - bits);
  return [24, 16, 8, 0].map((shift) => Math.floor(kept / 2 ** shift) % 256).join(".");
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const parse = (text: string) =>
    text
      .split(":")
      .filter((part) => part !== "")
      .flatMap((part) => {
        if (!part.includes(".")) {
          return [Number.parseInt(part, 16)];
        }
        const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
        return [a * 256 + b, c * 256 + d];
      });
  const [before, after] = [parse(head), tail === undefined ? [] : parse(tail)];
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function maskV6(address: string, bits: number): string {
  const groups = groupsOf(address.replace(/%.*$/, "")).map((group, index) => {
    const kept = Math.min(16, Math.max(0, bits - index * 16));
    return kept === 0 ? 0 : group & (0xffff << (16 - kept)) & 0xffff;
  });
  const text = groups.map((group) => group.toString(16)).join(":");
  return new SocketAddress({ address: text, family: "ipv6" }).address;
}

/**
 * Cuts an address, with or without a port, to its network. A text that is no address is returned unchanged.
 * @param v4Bits number of leading bits of an IPv4 address that stay, 0 to 32
 * @param v6Bits the same for an IPv6 address, 0 to 128
 */
export function maskAddress(text: string, v4Bits: number, v6Bits: number): string {
  const withPort = isIP(text) === 0 ? /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(text) : null;
  const found = withPort?.[1] ?? withPort?.[2] ?? text;
  // An IPv4 address in IPv6 form is masked as IPv4.
  const host = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(found)?.[1] ?? found;
  const port = !withPort?.[3] ? "" : `:${withPort[3]}`;
  switch (isIP(host)) {
    case 4:
      return maskV4(host, v4Bits) + port;
    case 6:
      return port === "" ? maskV6(host, v6Bits) : `[${maskV6(host, v6Bits)}]${port}`;
    default:
      return text;
  }
}
