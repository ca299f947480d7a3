import { freeAddresses } from "lifecycle/testing";

/** For tests: ports of the loopback address that were free a moment ago, for programs that cannot choose one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const addresses = await freeAddresses(count);
  return addresses.map((address) => Number(address.slice(address.lastIndexOf(":") + 1)));
}
