import { describe, expect, test } from "vitest";
import { TagOrders } from "./shown-tags.ts";

const keyed = (...keys: string[]) => keys.map((key) => ({ key }));

describe("TagOrders", () => {
  test("finds what was kept for the same name, own tags and keys, and nothing for others", () => {
    const orders = new TagOrders<string>();
    expect(orders.find("GET", "server", keyed("a", "b"))).toBeUndefined();
    orders.keep("GET", "server", keyed("a", "b"), [1, 0]);
    orders.keep("GET", "client", keyed("a", "b"), [0, 1]);
    orders.keep("GET", "server", keyed("a", "b", "c"), [2, 1, 0]);
    expect(orders.find("GET", "server", keyed("a", "b"))).toEqual([1, 0]);
    expect(orders.find("GET", "client", keyed("a", "b"))).toEqual([0, 1]);
    expect(orders.find("GET", "server", keyed("a", "b", "c"))).toEqual([2, 1, 0]);
    expect(orders.find("PUT", "server", keyed("a", "b"))).toBeUndefined();
    expect(orders.find("GET", "other", keyed("a", "b"))).toBeUndefined();
    for (const keys of [["b", "a"], ["a"], [], ["a", "b", "d"], ["a", "b", "c", "d"]]) {
      expect(orders.find("GET", "server", keyed(...keys))).toBeUndefined();
    }
  });

  test("begins anew with too many lists of a name, and with too many names", () => {
    const orders = new TagOrders<string>();
    orders.keep("kept", "", keyed("first"), [0]);
    for (let index = 0; index < 8; index++) {
      orders.keep("GET", "", keyed(`${index}`), [0]);
    }
    expect(orders.find("GET", "", keyed("0"))).toEqual([0]);
    orders.keep("GET", "", keyed("more"), [0]);
    expect(orders.find("GET", "", keyed("0"))).toBeUndefined();
    expect(orders.find("GET", "", keyed("more"))).toEqual([0]);
    expect(orders.find("kept", "", keyed("first"))).toEqual([0]);
    for (let index = 0; index < 1_023; index++) {
      orders.keep(`${index}`, "", [], []);
    }
    expect(orders.find("kept", "", keyed("first"))).toBeUndefined();
    expect(orders.find("1022", "", [])).toEqual([]);
  });
});
