import { canonicalIp } from "server-core/go/ip-address";
import { expect, test } from "vitest";
import { addressText, localAddress, remoteAddress, withoutZone } from "./remote-address.ts";

test.each([
  ["127.0.0.1", 80, "127.0.0.1:80"],
  ["::1", 80, "[::1]:80"],
  ["fe80::1%eth0", 80, "[fe80::1%eth0]:80"],
  ["", undefined, ""],
])("%s and %s: %s", (host, port, expected) => {
  expect(addressText(host, port)).toBe(expected);
});

test("IPv4 over a socket for both is IPv4, at both ends", () => {
  expect(remoteAddress({ remoteAddress: "::ffff:192.0.2.1" })).toBe("192.0.2.1");
  expect(localAddress({ localAddress: "::ffff:192.0.2.2" })).toBe("192.0.2.2");
});

test("a zone is cut off", () => {
  expect(withoutZone("fe80::1%eth0")).toBe("fe80::1");
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["FE80:0::0001%eth0", "fe80::1"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
  ["1.2.3", undefined],
  ["", undefined],
])("the one form of %j is %j", (text, expected) => {
  expect(canonicalIp(text)).toBe(expected);
});
