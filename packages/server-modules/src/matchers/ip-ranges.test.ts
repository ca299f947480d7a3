import { makeExchange } from "http-engine/testing/make-exchange";
import { IpRanges } from "server-core/net/ip-ranges";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  [["192.0.2.1"], "192.0.2.1", true],
  [["192.0.2.1"], "192.0.2.2", false],
  [["192.0.2.0/24"], "192.0.2.255", true],
  [["192.0.2.0/24", "10.0.0.0/8"], "10.1.2.3", true],
  [["0.0.0.0/0"], "::1", false],
  [["::1"], "::1", true],
  [["2001:db8::/32"], "2001:db8:1::1", true],
  [["192.0.2.0/24"], "::ffff:192.0.2.9", true],
  [["fe80::/10"], "fe80::1%eth0", true],
  [["fe80::/10%eth0"], "fe80::1%eth0", true],
  [["fe80::%eth1/10"], "fe80::1%eth0", false],
  [["192.0.2.0/24"], "", false],
  [[], "192.0.2.1", false],
])("%j contains %s: %s", (ranges, address, expected) => {
  expect(new IpRanges(ranges).contains(address)).toBe(expected);
});

test.each(["", "x", "1.2.3", "1.2.3.4/33", "::1/129", "1.2.3.4/", "1.2.3.4/a"])("refuses %j", (range) => {
  expect(() => new IpRanges([range])).toThrow(/IP address|CIDR/);
});

test("remote_ip is who is connected, client_ip whom a trusted proxy names", async () => {
  const config = { ranges: ["203.0.113.0/24"] };
  const exchange = makeExchange({
    remoteAddress: "::ffff:192.0.2.1",
    server: { clientAddress: () => "203.0.113.7" },
  });
  expect((await provisionMatcher("remote_ip", config)).matches(exchange)).toBe(false);
  expect((await provisionMatcher("client_ip", config)).matches(exchange)).toBe(true);
});
