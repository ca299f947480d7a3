import { expect, test } from "vitest";
import { KeptConnections } from "./kept-connections.ts";

function open(maxIdle: number) {
  const closed: object[] = [];
  return { closed, kept: new KeptConnections({ CloseConnection: (one) => closed.push(one) }, maxIdle) };
}

test("gives a connection to one at a time, and only for its own key", () => {
  const { kept, closed } = open(4);
  const connection = {};
  kept.give("a", connection);
  expect(kept.take("b")).toBeUndefined();
  expect(kept.take("a")).toBe(connection);
  expect(kept.take("a")).toBeUndefined();
  expect(closed).toEqual([]);
});

test("gives the one that was used last, and closes the one that waited longest", () => {
  const { kept, closed } = open(2);
  const [first, second, third] = [{ name: 1 }, { name: 2 }, { name: 3 }];
  kept.give("a", first);
  kept.give("a", second);
  kept.give("b", third);
  expect(closed).toEqual([first]);
  expect(kept.take("a")).toBe(second);
  kept.closeAll();
  expect(closed).toEqual([first, third]);
  expect(kept.take("b")).toBeUndefined();
});
