import { expect, test } from "vitest";
import { makeExchange } from "../../testing/make-exchange.ts";
import { provisionMatcher } from "../../testing/provision-module.ts";

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ handshake_complete: true }, true, true],
  [{ handshake_complete: false }, true, false],
])("%j and TLS %s: %s", async (config, encrypted, expected) => {
  expect((await provisionMatcher("tls", config)).matches(makeExchange({ encrypted }))).toBe(expected);
});
