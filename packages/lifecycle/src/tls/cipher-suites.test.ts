import { createSecureContext } from "node:tls";
import { expect, test } from "vitest";
import { cipherSuiteNames, opensslCiphers } from "./cipher-suites.ts";

test.each(cipherSuiteNames)("gives OpenSSL a name that it knows for %s", (name) => {
  const ciphers = opensslCiphers([name], "x");
  expect(() => createSecureContext({ ciphers })).not.toThrow();
});

test.each([
  [[], undefined],
  [["TLS_AES_256_GCM_SHA384"], "TLS_AES_256_GCM_SHA384"],
  [
    ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"],
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256",
  ],
  [
    ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "TLS_AES_128_GCM_SHA256"],
    "TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES128-SHA",
  ],
])("translates %j", (names, ciphers) => {
  expect(opensslCiphers(names, "x")).toBe(ciphers);
});

test.each(["TLS_RSA_WITH_RC4_128_SHA", "", "__proto__", "ECDHE-RSA-AES128-SHA"])("refuses %j", (name) => {
  expect(() => opensslCiphers([name], "x.tls.cipher-suites")).toThrow(
    `option --x.tls.cipher-suites: cipher suite "${name}" is not known: known are TLS_AES_128_GCM_SHA256, `,
  );
});
