import { expect, test } from "vitest";
import { addressFields, defaultAddress, searchAddress } from "./search-address.ts";

test("an empty address is the defaults, and the defaults are an empty address", () => {
  expect(defaultAddress).toMatchObject({ limit: 20, lookback: "1h", sort: "newest" });
  expect(addressFields(defaultAddress)).toEqual({});
});

test("every field survives the way through the address", () => {
  const fields = {
    service: "check out",
    operation: "POST /orders",
    tags: 'error=true a="b c"',
    minDuration: "5ms",
    maxDuration: "2s",
    limit: "100",
    lookback: "custom",
    start: "1795227853859640",
    end: "1795227953859640",
    sort: "longest",
  };
  const address = searchAddress.parse(fields);
  expect(addressFields(address)).toEqual(fields);
  expect(searchAddress.parse(address)).toEqual(address);
});

test.each([
  [{ limit: "many" }, { limit: 20 }],
  [{ limit: "0" }, { limit: 20 }],
  [{ limit: "100000" }, { limit: 20 }],
  [{ lookback: "3w" }, { lookback: "1h" }],
  [{ sort: "<script>" }, { sort: "newest" }],
  [
    { start: "-1", end: "x" },
    { start: undefined, end: undefined },
  ],
  [{ unknown: "1" }, {}],
])("%j falls back to %j", (fields, expected) => {
  expect(searchAddress.parse(fields)).toMatchObject(expected);
});

test("start and end are written for a custom range only", () => {
  const address = { ...defaultAddress, start: 1, end: 2 };
  expect(addressFields(address)).toEqual({});
  expect(addressFields({ ...address, lookback: "custom" })).toEqual({
    lookback: "custom",
    start: "1",
    end: "2",
  });
});
