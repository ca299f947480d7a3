import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createTestAuthority } from "./test-certificates.ts";

test("issues certificates that OpenSSL reads and verifies", () => {
  const authority = createTestAuthority("one", new Date("2031-02-03T04:05:06Z"));
  const issued = new X509Certificate(authority.issue("localhost", "127.0.0.1").cert);
  const root = new X509Certificate(authority.cert);

  expect(root.ca).toBe(true);
  expect(issued.checkIssued(root)).toBe(true);
  expect(issued.verify(root.publicKey)).toBe(true);
  expect(issued.verify(new X509Certificate(createTestAuthority().cert).publicKey)).toBe(false);
  expect(issued.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1");
  expect([issued.validFromDate, issued.validToDate]).toEqual([
    new Date("2031-02-03T03:05:06Z"),
    new Date("2031-02-04T04:05:06Z"),
  ]);
});
