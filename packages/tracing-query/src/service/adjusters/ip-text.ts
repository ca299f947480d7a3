/** An IPv4 address in dotted form. @param address its 32 bits as a number; higher bits do not count */
export function ipText(address: bigint): string {
  const bits = Number(BigInt.asUintN(32, address));
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}
