import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ handshake_complete: true }, true, true],
  [{ handshake_complete: false }, true, false],
])("%j and TLS %s: %s", async (config, encrypted, expected) => {
  expect((await provisionMatcher("tls", config)).matches(makeExchange({ encrypted }))).toBe(expected);
});
