import { freeAddresses } from "lifecycle/testing";

/** For tests: free ports of the loopback address, for programs that cannot choose a port themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const addresses = await freeAddresses(count);
  return addresses.map((address) => Number(address.slice(address.lastIndexOf(":") + 1)));
}
