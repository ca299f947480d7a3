/** Leading groups of an IPv6 address that identify a network; the client chooses the rest. Source: RFC 4291, 2.5.4 */
const networkGroups = 4;

/**
 * The client identity for the fair queue: an IPv4 address, or the /64 network of an IPv6 address, because one client
 * owns the whole network.
 */
export function clientGroup(address: string): string {
  if (!address.includes(":")) {
    return address;
  }
  const plain = address.split("%", 1)[0] ?? "";
  if (plain.includes(".")) {
    return plain.slice(plain.lastIndexOf(":") + 1); // an IPv4 address in IPv6's form
  }
  const [left = "", right = ""] = plain.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const before = groups(left);
  const after = plain.includes("::") ? groups(right) : [];
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, networkGroups).join(":")}::/64`;
}
