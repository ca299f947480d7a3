import { expect, test } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

test.each(["regular", "last-resort"] as const)(
  "what nobody holds is gone after a collection (%s)",
  async (flavor) => {
    const held = new WeakRef({ large: new Array(1_000).fill(0) });
    // An object that a WeakRef has returned is kept alive until this turn of the event loop ends.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage(flavor);
    expect(held.deref() === undefined).toBe(true);
  },
);
