import { expect, test } from "vitest";
import { freeAddresses } from "./free-addresses.ts";

test("gives different addresses outside the range of outgoing connections", async () => {
  const addresses = await freeAddresses(50);
  expect(new Set(addresses).size).toBe(50);
  for (const address of addresses) {
    const [host, port] = address.split(":");
    expect(host).toBe("127.0.0.1");
    expect(Number(port)).toBeGreaterThanOrEqual(12_000);
    expect(Number(port)).toBeLessThan(32_000);
  }
});
