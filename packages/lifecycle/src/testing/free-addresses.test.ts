import { execFile } from "node:child_process";
import { promisify } from "node:util";
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

test.skipIf(process.platform !== "linux")(
  "gives no process what it gave to another that runs (Linux)",
  async () => {
    const script = `
      import { freeAddresses } from ${JSON.stringify(new URL("free-addresses.ts", import.meta.url).href)};
      console.log(JSON.stringify(await freeAddresses(700)));`;
    const ask = async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
      return JSON.parse(stdout) as string[];
    };
    const mine = new Set(await freeAddresses(400));
    const others = await ask();
    expect(others.length).toBe(700);
    expect(others.filter((address) => mine.has(address))).toEqual([]);
    expect((await freeAddresses(100)).filter((address) => mine.has(address))).toEqual([]);
  },
);
