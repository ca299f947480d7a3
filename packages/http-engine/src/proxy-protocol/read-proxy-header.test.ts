import fc from "fast-check";
import { expect, test } from "vitest";
import { proxyProtocolHeader } from "./proxy-protocol-header.ts";
import { readProxyHeader } from "./read-proxy-header.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const v2 = (rest: string) => Buffer.from(`0d0a0d0a000d0a515549540a${rest}`, "hex");

test.each<[string, Buffer, object]>([
  [
    "TCP4",
    bytes("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET"),
    { kind: "header", bytes: 36, peer: { address: "192.0.2.1", port: 1 } },
  ],
  ["UNKNOWN", bytes("PROXY UNKNOWN\r\n"), { kind: "header", bytes: 15, peer: undefined }],
  ["UNKNOWN with more", bytes("PROXY UNKNOWN a b c d\r\n"), { kind: "header", bytes: 23, peer: undefined }],
  ["the beginning of one", bytes("PROXY TC"), { kind: "partial" }],
  ["an ordinary request", bytes("POST / HTTP/1.1\r\n"), { kind: "none" }],
  ["TLS", Buffer.from([22, 3, 1]), { kind: "none" }],
  ["an address of the other family", bytes("PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n"), { kind: "malformed" }],
  ["a port that is none", bytes("PROXY TCP4 192.0.2.1 192.0.2.2 99999 2\r\n"), { kind: "malformed" }],
  ["a line without end", bytes(`PROXY TCP4 ${"1".repeat(200)}`), { kind: "malformed" }],
  ["binary, local", v2("20000000"), { kind: "header", bytes: 16, peer: undefined }],
  ["binary, a unix socket", v2(`2131000400000000`), { kind: "header", bytes: 20, peer: undefined }],
  ["binary, another version", v2("11110000"), { kind: "malformed" }],
  ["binary, too short for its addresses", v2("21110004c0000201"), { kind: "malformed" }],
  ["binary, longer than any use", v2("2111ffff"), { kind: "malformed" }],
])("%s", (_name, header, found) => {
  expect(readProxyHeader(header)).toEqual(found);
});

const address = fc.oneof(fc.ipV4(), fc.constantFrom("2001:db8::1", "::1", "fe80::1:2"));

test("reads what the proxy writes, however it is cut", () => {
  const versions = fc.constantFrom("v1" as const, "v2" as const);
  fc.assert(
    fc.property(versions, fc.ipV4(), fc.integer({ min: 0, max: 65_535 }), (version, source, sourcePort) => {
      const header = proxyProtocolHeader(version, {
        source,
        sourcePort,
        destination: "192.0.2.9",
        destinationPort: 443,
      });
      for (let end = 1; end < header.length; end++) {
        expect(readProxyHeader(header.subarray(0, end)).kind).toBe("partial");
      }
      const peer = { address: source, port: sourcePort };
      const whole = Buffer.concat([header, Buffer.from("GET")]);
      expect(readProxyHeader(whole)).toEqual({ kind: "header", bytes: header.length, peer });
    }),
  );
});

test("any bytes are read as something", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), address, (tail, source) => {
      const start = proxyProtocolHeader("v2", {
        source,
        sourcePort: 1,
        destination: "::1",
        destinationPort: 2,
      });
      for (const prefix of [start.subarray(0, 12), bytes("PROXY "), Buffer.alloc(0)]) {
        expect(readProxyHeader(Buffer.concat([prefix, tail])).kind).toMatch(
          /^(?:partial|none|malformed|header)$/,
        );
      }
    }),
  );
});
