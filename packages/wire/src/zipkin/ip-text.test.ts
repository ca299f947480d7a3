import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ipText, parseIp } from "./ip-text.ts";

describe("parseIp", () => {
  test.each([
    ["192.0.2.1", "c0000201"],
    ["::", "00000000000000000000000000000000"],
    ["::1", "00000000000000000000000000000001"],
    ["2001:DB8::8:800:200C:417A", "20010db80000000000080800200c417a"],
    ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
    ["::ffff:192.0.2.1", "00000000000000000000ffffc0000201"],
    ["1:2:3:4:5:6:1.2.3.4", "00010002000300040005000601020304"],
    ["fe80::", "fe800000000000000000000000000000"],
  ])("reads %s", (text, hex) => {
    expect(parseIp(text)?.toString("hex")).toBe(hex);
  });

  test.each([
    "",
    "x",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1::2::3",
    ":",
    "fe80::1%eth0",
    "12345::",
  ])("takes %j for no address", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe("ipText", () => {
  test("is read back as the same address", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseIp(text) ?? Buffer.alloc(0);
        const again = parseIp(ipText(address));
        // IPv4 in IPv6 is printed as IPv4.
        expect(again?.subarray(-4)).toEqual(address.subarray(-4));
        if (again?.length === address.length) {
          expect(again).toEqual(address);
        }
      }),
    );
  });

  test("prints bytes that are no address", () => {
    expect(ipText(Buffer.of(1, 2, 255))).toBe("?0102ff");
  });
});
