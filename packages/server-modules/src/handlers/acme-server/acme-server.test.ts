// The package certificates tests the issued certificates. These tests are about the decisions of the handler itself.
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

test.each([
  ["/", {}],
  ["/acme/local", {}],
  ["/acme/other/directory", {}],
  ["/acme/local/directory", { path_prefix: "/ca/" }],
  ["/acme/local/directory", { ca: "corporate" }],
])("%s with %j is not its own: the next handler gets it", async (target, config) => {
  const pki = { certificate_authorities: { corporate: {} } };
  const handler = await provisionHandler("acme_server", config, { pki });
  let passed = false;
  await handler.handle(makeExchange({ target }), () => {
    passed = true;
  });
  expect(passed).toBe(true);
});

test.each([
  [{ ca: "../other" }, "no certificate authority configured with id: ../other"],
  [{ ca: "corporate" }, "no certificate authority configured with id: corporate"],
  [{ path_prefix: "/acme" }, "path_prefix must begin and end with a slash"],
  [{ challenges: ["http-02"] }, "challenges"],
  [{ policy: { allow: { ip_ranges: ["10.0.0.0/99"] } } }, "not an address or a network"],
])("%j is refused", async (config, message) => {
  await expect(provisionHandler("acme_server", config)).rejects.toThrow(message);
});
