import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressWords, networkOf } from "./address-words.ts";
import { secondsOf } from "./decision.ts";
import { DecisionStore } from "./decision-store.ts";
import { findDecision } from "./decision-table.ts";
import { type ApiDecision, banOf } from "./testing/local-api.ts";

const nowS = 1_700_000_000;

interface Change {
  readonly new?: readonly unknown[];
  readonly deleted?: readonly unknown[];
}

function apply(store: DecisionStore, change: Change, isWhole = false, atS = nowS) {
  const next = store.change(isWhole);
  for (const [list, items] of Object.entries(change)) {
    for (const item of items as unknown[]) {
      next.take(list, item, atS);
    }
  }
  next.apply(atS);
  return next.counts;
}

function storeOf(...decisions: readonly ApiDecision[]): DecisionStore {
  const store = new DecisionStore(1_000);
  apply(store, { new: decisions }, true);
  return store;
}

const find = (store: DecisionStore, address: string, atS = nowS) =>
  findDecision(store.table, address, atS)?.type;

test("addresses and ranges of both families", () => {
  const store = storeOf(
    banOf("192.0.2.1"),
    banOf("198.51.100.0/24"),
    banOf("2001:db8::1"),
    banOf("2001:db8:1::/48"),
    banOf("203.0.113.7/32", { scope: "Ip" }),
    banOf("10.1.2.3/8"),
  );
  const asked = {
    "192.0.2.1": true,
    "::ffff:192.0.2.1": true,
    "192.0.2.2": false,
    "198.51.100.0": true,
    "198.51.100.255": true,
    "198.51.101.0": false,
    "2001:db8::1": true,
    "2001:DB8:0:0::1": true,
    "2001:db8::2": false,
    "2001:db8:1:ffff::9%eth0": true,
    "2001:db8:2::": false,
    "203.0.113.7": true,
    "10.255.0.1": true,
    "0.0.0.0": false,
    "255.255.255.255": false,
  };
  expect(Object.fromEntries(Object.keys(asked).map((each) => [each, find(store, each) === "ban"]))).toEqual(
    asked,
  );
  expect(() => find(store, "@")).toThrow("is no IP address");
});

test("the strictest decision counts, whichever network is narrower", () => {
  const store = storeOf(
    banOf("192.0.2.1", { type: "throttle" }),
    banOf("192.0.2.1", { type: "captcha" }),
    banOf("192.0.2.0/24", { type: "throttle" }),
    banOf("198.51.100.0/24", { type: "ban" }),
    banOf("198.51.100.7", { type: "throttle" }),
    banOf("203.0.113.1", { type: "my-own" }),
    banOf("203.0.113.1", { type: "captcha" }),
  );
  expect(["192.0.2.1", "192.0.2.2", "198.51.100.7", "203.0.113.1"].map((each) => find(store, each))).toEqual([
    "captcha",
    "throttle",
    "ban",
    "my-own",
  ]);
});

test("a deleted decision goes, and another one about the same address stays", () => {
  const [captcha, ban] = [banOf("192.0.2.1", { type: "captcha" }), banOf("192.0.2.1")];
  const store = storeOf(captcha, ban);
  apply(store, { deleted: [ban] });
  expect(find(store, "192.0.2.1")).toBe("captcha");
  apply(store, { deleted: [captcha], new: [ban] });
  expect(find(store, "192.0.2.1")).toBe("ban");
  // The local API sends what is replaced in both lists.
  apply(store, { new: [banOf("192.0.2.1", { duration: "1h" })], deleted: [ban] });
  expect(find(store, "192.0.2.1", nowS + 3_599)).toBe("ban");
  expect(find(store, "192.0.2.1", nowS + 3_600)).toBeUndefined();
});

test("a whole answer replaces all", () => {
  const store = storeOf(banOf("192.0.2.1"), banOf("2001:db8::/32"));
  apply(store, { new: [banOf("192.0.2.2")] }, true);
  expect(["192.0.2.1", "192.0.2.2", "2001:db8::1"].map((each) => find(store, each))).toEqual([
    undefined,
    "ban",
    undefined,
  ]);
  apply(store, {}, true);
  expect(find(store, "192.0.2.2")).toBeUndefined();
});

test("a decision ends by itself, and then takes no memory after the next change", () => {
  const store = storeOf(banOf("192.0.2.1", { duration: "1m" }), banOf("192.0.2.2", { duration: "-5s" }));
  expect([find(store, "192.0.2.1", nowS + 59), find(store, "192.0.2.1", nowS + 60)]).toEqual([
    "ban",
    undefined,
  ]);
  expect([find(store, "192.0.2.2"), store.size]).toEqual([undefined, 1]);
  apply(store, { new: [banOf("192.0.2.9")] }, false, nowS + 61);
  expect(store.size).toBe(1);
});

test.each([
  [{ scope: "Country", value: "DE", type: "ban" }],
  [{ scope: "Ip", value: "nobody", type: "ban" }],
  [{ scope: "Range", value: "192.0.2.0/33", type: "ban" }],
  [{ scope: "Range", value: "192.0.2.0/", type: "ban" }],
  [{ scope: "Ip", value: null, type: "ban" }],
  [{ scope: "Ip", value: "192.0.2.1" }],
  [null],
  [[]],
])("%j is ignored, and counted", (item) => {
  const store = storeOf();
  expect(apply(store, { new: [item, banOf("192.0.2.1")] })).toEqual({
    added: 1,
    deleted: 0,
    ignored: 1,
    refused: 0,
  });
  expect(store.size).toBe(1);
});

test("decisions over the limit are refused, and those of before stay", () => {
  const store = new DecisionStore(3);
  apply(store, { new: ["192.0.2.1", "192.0.2.2"].map((each) => banOf(each)) }, true);
  const { added, refused } = apply(store, { new: ["192.0.2.3", "192.0.2.4"].map((each) => banOf(each)) });
  expect([added, refused, find(store, "192.0.2.1"), find(store, "192.0.2.4")]).toEqual([
    1,
    1,
    "ban",
    undefined,
  ]);
});

test("origins are bounded", () => {
  const store = new DecisionStore(100_000);
  apply(store, {
    new: Array.from({ length: 6_000 }, (_, index) =>
      banOf(`10.0.${index >> 8}.${index & 255}`, { origin: `lists:${index}` }),
    ),
  });
  expect(store.table.kinds.length).toBeLessThan(4_200);
  expect(findDecision(store.table, "10.0.23.1", nowS)?.origin).toBe("other");
});

const address = fc.oneof(fc.ipV4(), fc.ipV6());
const network = fc.oneof(
  address,
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`),
  fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([ip, bits]) => `${ip}/${bits}`),
  // Near each other, so that networks meet.
  fc
    .tuple(fc.nat(3), fc.nat(3), fc.integer({ min: 14, max: 32 }))
    .map(([a, b, bits]) => `10.0.${a}.${b}/${bits}`),
);
const isMapped = (text: string) => addressWords(text)?.length === 1 && text.includes(":");

describe("against a list that is asked one by one", () => {
  test("any changes, any addresses", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            new: fc.array(network, { maxLength: 30 }),
            gone: fc.array(fc.nat(), { maxLength: 10 }),
          }),
          {
            maxLength: 5,
          },
        ),
        fc.array(
          fc.oneof(
            address,
            fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => `10.0.${a}.${b}`),
          ),
        ),
        (changes, addresses) => {
          const store = new DecisionStore(10_000);
          let expected: string[] = [];
          const key = (text: string) => JSON.stringify(networkOf(text));
          for (const change of changes) {
            const deleted = change.gone.flatMap(
              (index) => expected[index % Math.max(1, expected.length)] ?? [],
            );
            apply(store, {
              deleted: deleted.map((each) => banOf(each)),
              new: change.new.map((each) => banOf(each)),
            });
            const gone = new Set(deleted.map(key));
            expected = [...expected.filter((each) => !gone.has(key(each))), ...change.new];
          }
          const lists = { 4: new BlockList(), 6: new BlockList() };
          for (const each of expected.filter((text) => !isMapped(text.split("/")[0] ?? ""))) {
            const [ip = "", bits] = each.split("/");
            const version = isIP(ip) === 4 ? 4 : 6;
            lists[version].addSubnet(ip, Number(bits ?? (version === 4 ? 32 : 128)), `ipv${version}`);
          }
          for (const each of addresses.filter((text) => !isMapped(text))) {
            const version = isIP(each) === 4 ? 4 : 6;
            expect([each, find(store, each) === "ban"]).toEqual([
              each,
              lists[version].check(each, `ipv${version}`),
            ]);
          }
        },
      ),
    );
  });
});

test("ten bytes hold an IPv4 address, 22 an IPv6 address", () => {
  const store = new DecisionStore(100_000);
  const ips = Array.from({ length: 20_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  apply(
    store,
    { new: ips.flatMap((ip, index) => [banOf(ip), banOf(`2001:db8::${index.toString(16)}`)]) },
    true,
  );
  const bytes = store.table.families.map((groups) =>
    groups.reduce(
      (sum, { keys, ends, kinds }) => sum + keys.byteLength + ends.byteLength + kinds.byteLength,
      0,
    ),
  );
  expect(bytes).toEqual([200_000, 440_000]);
});

test.each([
  ["3h59m12.5s", 14_352.5],
  ["-1m", 0],
  ["", 14_400],
  [undefined, 14_400],
  ["soon", 14_400],
])("the duration %j is %d s", (text, seconds) => {
  expect(secondsOf(text)).toBe(seconds);
});
