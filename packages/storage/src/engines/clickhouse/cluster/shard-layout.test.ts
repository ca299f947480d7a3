import { describe, expect, test } from "vitest";
import { isSettled, layoutOf, type ShardLayout, shardingKey, wantedLayout } from "./shard-layout.ts";

const two: ShardLayout = { slots: 2 };
const growing: ShardLayout = { slots: 2, next: { day: "2026-11-28", slots: 3 } };
const three: ShardLayout = { slots: 3 };
const engineOf = (layout: ShardLayout | undefined) =>
  `Distributed('main', 'tracing', 'spans_local', ${shardingKey(layout)})`;

describe("layoutOf", () => {
  test.each([two, growing, three])("reads what shardingKey wrote: %j", (layout) => {
    expect(layoutOf(engineOf(layout))).toEqual(layout);
  });

  test("finds none in tables from before, nor in those without a trace id", () => {
    expect(layoutOf(engineOf(undefined))).toBeUndefined();
    expect(layoutOf("Distributed('main', 'tracing', 'leases_local', toUInt8(0))")).toBeUndefined();
  });
});

describe("wantedLayout", () => {
  const hosts = (...layouts: readonly (ShardLayout | undefined)[]) =>
    layouts.map((layout) => ({ layout, slots: 2, version: 12 }));

  test.each([
    ["that of the configuration, where no table names one", hosts(undefined, undefined), two],
    ["that of the tables, where a server was added", hosts(two, two, undefined), two],
    ["the change, which a server missed that was away", hosts(two, growing, growing), growing],
    ["the end of a change, which a server missed", hosts(three, growing), three],
    ["none, where tables differ and no change explains it", hosts(two, three), undefined],
  ])("is %s", (_name, states, wanted) => {
    expect(wantedLayout(states)).toEqual(wanted);
  });

  test("is none as long as servers have different configurations, and the tables name none", () => {
    const differing = [
      { layout: undefined, slots: 2, version: 12 },
      { layout: undefined, slots: 3, version: 12 },
    ];
    expect(wantedLayout(differing)).toBeUndefined();
    expect(isSettled(differing)).toBe(true);
  });

  test("is that of the servers that have tables, where one without any knows of more shards", () => {
    const states = [
      { layout: undefined, slots: 2, version: 12 },
      { layout: undefined, slots: 3, version: 0 },
    ];
    expect(wantedLayout(states)).toEqual(two);
  });

  test("is that of the tables, whatever the configuration says by now", () => {
    const grown = [
      { layout: two, slots: 3, version: 12 },
      { layout: undefined, slots: 3, version: 0 },
    ];
    expect(wantedLayout(grown)).toEqual(two);
    expect(isSettled(grown)).toBe(false);
  });
});
