import { expect, test } from "vitest";
import { changesAddress } from "./changes-address.ts";
import { changesPlan, searchOfSide } from "./changes-plan.ts";

const nowUs = 1_795_000_000_000_000;
const hour = 3_600e6;
const plan = (fields: Record<string, string>) => changesPlan(changesAddress.parse(fields), nowUs);

test.each([
  [{ service: "cart" }, [nowUs - hour, nowUs], [nowUs - 2 * hour, nowUs - hour]],
  [{ against: "day" }, [nowUs - hour, nowUs], [nowUs - 25 * hour, nowUs - 24 * hour]],
  [
    { against: "week", lookback: "5m" },
    [nowUs - 300e6, nowUs],
    [nowUs - 168 * hour - 300e6, nowUs - 168 * hour],
  ],
  [{ against: "same", a: "2" }, [nowUs - hour, nowUs], [nowUs - hour, nowUs]],
  [{ lookback: "custom", start: "5", end: "9" }, [5, 9], [1, 5]],
  [{ against: "custom", bstart: "1", bend: "2" }, [nowUs - hour, nowUs], [1, 2]],
])("times of %j", (fields, a, b) => {
  const { asked, errors } = plan(fields);
  expect(errors).toEqual({});
  expect([asked?.a.start, asked?.a.end]).toEqual(a);
  expect([asked?.b.start, asked?.b.end]).toEqual(b);
});

test("versions, an attribute of choice, and conditions of both sides", () => {
  const { asked } = plan({ service: "cart", tags: "region=eu", a: "2", b: "1", against: "same" });
  expect(asked).toMatchObject({
    a: { service: "cart", tags: { region: "eu", "service.version": "2" } },
    b: { service: "cart", tags: { region: "eu", "service.version": "1" } },
  });
  expect(plan({ key: "host.name", a: "x" }).asked?.b.tags).toEqual({});
  expect(plan({ key: "host.name", a: "x" }).asked?.a.tags).toEqual({ "host.name": "x" });
});

test.each([
  [{ tags: "region" }, "tags"],
  [{ lookback: "custom" }, "a"],
  [{ lookback: "custom", start: "9", end: "5" }, "a"],
  [{ against: "custom", bstart: "5" }, "b"],
  [{ against: "same" }, "sides"],
  [{ against: "same", a: "2", b: "2" }, "sides"],
])("%j asks nothing", (fields, field) => {
  const { asked, errors } = plan(fields as Record<string, string>);
  expect([asked, Object.keys(errors)]).toEqual([undefined, [field]]);
});

test("the traces of a side", () => {
  const side = { service: "cart", tags: { region: "eu" }, start: 1.4, end: 9 };
  expect(searchOfSide(side, { operation: "GET /", tags: { "a b": "1" }, failed: true })).toEqual({
    ...{ service: "cart", operation: "GET /", tags: 'region=eu "a b"=1 error=true' },
    ...{ lookback: "custom", start: "1", end: "9" },
  });
});
