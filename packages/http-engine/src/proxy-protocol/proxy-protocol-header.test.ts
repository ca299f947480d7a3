import { expect, test } from "vitest";
import { proxyProtocolHeader } from "./proxy-protocol-header.ts";

const ports = { sourcePort: 4321, destinationPort: 443 };

test.each([
  ["192.0.2.1", "192.0.2.2", "PROXY TCP4 192.0.2.1 192.0.2.2 4321 443\r\n"],
  ["::ffff:192.0.2.1", "192.0.2.2", "PROXY TCP4 192.0.2.1 192.0.2.2 4321 443\r\n"],
  ["2001:db8::1", "192.0.2.2", "PROXY TCP6 2001:db8::1 ::ffff:192.0.2.2 4321 443\r\n"],
  ["", "192.0.2.2", "PROXY UNKNOWN\r\n"],
])("v1 from %s to %s", (source, destination, text) => {
  expect(proxyProtocolHeader("v1", { source, destination, ...ports }).toString()).toBe(text);
});

test.each([
  ["192.0.2.1", "192.0.2.2", "2111000cc0000201c000020210e101bb"],
  [
    "2001:db8::1",
    "192.0.2.2",
    "2121002420010db800000000000000000000000100000000000000000000ffffc000020210e101bb",
  ],
  ["", "192.0.2.2", "20000000"],
])("v2 from %s to %s", (source, destination, hex) => {
  const header = proxyProtocolHeader("v2", { source, destination, ...ports });
  expect(header.toString("hex")).toBe(`0d0a0d0a000d0a515549540a${hex}`);
});
