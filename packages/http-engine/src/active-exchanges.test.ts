import { expect, test } from "vitest";
import { ActiveExchanges } from "./active-exchanges.ts";
import { makeExchange } from "./testing/make-exchange.ts";

test("each is taken out once, whatever the order, and the others stay", () => {
  const active = new ActiveExchanges();
  const [a, b, c] = [makeExchange(), makeExchange(), makeExchange()];
  for (const each of [a, b, c]) {
    active.add(each);
  }
  expect([active.delete(a), active.delete(a)]).toEqual([true, false]);
  expect(new Set(active.all())).toEqual(new Set([b, c]));
  expect([active.delete(c), active.delete(b), active.size]).toEqual([true, true, 0]);
  active.add(a);
  expect(active.all()).toEqual([a]);
});
