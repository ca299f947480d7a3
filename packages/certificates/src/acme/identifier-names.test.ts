import fc from "fast-check";
import { expect, test } from "vitest";
import { isChallengeToken } from "./challenge-names.ts";
import { addressOf, canonicalName, reverseName } from "./identifier-names.ts";

test("an address is found again in its name of the reverse zone", () => {
  expect(reverseName("192.0.2.1")).toBe("1.2.0.192.in-addr.arpa");
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      expect(addressOf(reverseName(address))).toBe(canonicalName(address));
    }),
  );
});

test.each(["a.test", "1.2.3.in-addr.arpa", "1.2.3.400.in-addr.arpa", "x.ip6.arpa", "in-addr.arpa", ""])(
  "%j is no address",
  (name) => {
    expect(addressOf(name)).toBeUndefined();
  },
);

test.each([
  ["A.Test", "a.test"],
  ["[2001:DB8:0:0::1]", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["192.0.2.1", "192.0.2.1"],
])("%j is written %j", (name, canonical) => {
  expect(canonicalName(name)).toBe(canonical);
});

test("tokens are text of base64url, not without end", () => {
  expect(["aZ0_-", "a".repeat(512)].map(isChallengeToken)).toEqual([true, true]);
  expect(["", "a/b", "a.b", "a%2F", "a\n", "a".repeat(513)].map(isChallengeToken)).toEqual(
    Array(6).fill(false),
  );
});
