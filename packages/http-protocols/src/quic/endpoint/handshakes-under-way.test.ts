import { expect, test } from "vitest";
import { HandshakesUnderWay } from "./handshakes-under-way.ts";

test.each([
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "192.0.2.2", false],
  ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true],
  ["2001:db8::1", "2001:db8:0:0:8::", true],
  ["2001:db8::1", "2001:db8:0:1::1", false],
  ["::1", "::2", true],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", true],
])("%s and %s are one client: %s", (one, other, same) => {
  const handshakes = new HandshakesUnderWay({ total: 10, perClient: 1 });
  handshakes.begin(one);
  expect([handshakes.isFull(one), handshakes.isFull(other)]).toEqual([true, same]);
});

test("counts handshakes until they end, once", () => {
  const handshakes = new HandshakesUnderWay({ total: 3, perClient: 2 });
  const ends = ["a", "a", "b"].map((address) => handshakes.begin(address));
  expect([handshakes.total, handshakes.isFull("c")]).toEqual([3, true]);
  ends[2]?.();
  ends[2]?.();
  expect([handshakes.total, handshakes.isFull("c"), handshakes.isFull("a")]).toEqual([2, false, true]);
  ends[0]?.();
  expect(handshakes.isFull("a")).toBe(false);
});
