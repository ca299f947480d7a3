import { createHook } from "node:async_hooks";
import { expect, test } from "vitest";
import { keyFromPem, keyToPem, makeKey } from "./key-pair.ts";

test("keys of RSA are made one after the other", async () => {
  let begun = 0;
  const hook = createHook({
    init(_id, type) {
      begun += type === "KEYPAIRGENREQUEST" ? 1 : 0;
    },
  }).enable();
  try {
    let done = 0;
    const keys = Array.from({ length: 3 }, async () => {
      const key = await makeKey("rsa2048");
      done++;
      // The next attempt has started by now, but not the one after it.
      expect(begun).toBeLessThanOrEqual(done + 1);
      return key.asymmetricKeyType;
    });
    expect(await Promise.all(keys)).toEqual(["rsa", "rsa", "rsa"]);
    expect(begun).toBe(3);
  } finally {
    hook.disable();
  }
});

test.each(["ed25519", "p256", "p384"] as const)("a key of %s survives its PEM", async (type) => {
  const key = await makeKey(type);
  expect(keyFromPem(keyToPem(key), "x").equals(key)).toBe(true);
});
