import { expect, test } from "vitest";
import { listPageOf, pageOf } from "./list-page.ts";

const names = Array.from({ length: 1_500 }, (_, at) => `Upstream-${at}`);
const ask = (query: string) => pageOf(names, listPageOf(new URLSearchParams(query)), (name) => name);

test.each([
  ["", 1_500, "Upstream-0", 1_500],
  ["limit=100", 100, "Upstream-0", 1_500],
  ["limit=100&offset=1450", 50, "Upstream-1450", 1_500],
  ["limit=100&offset=1500", 0, undefined, 1_500],
  ["contains=UPSTREAM-149&limit=5", 5, "Upstream-149", 11],
  ["contains=no-such", 0, undefined, 0],
])("%s gives %i entries from %s of %i", (query, length, first, total) => {
  const { page, headers } = ask(query);
  expect(page).toHaveLength(length);
  expect(page[0]).toBe(first);
  expect(headers).toEqual({ "X-Total-Count": String(total) });
});

test.each(["limit=0", "limit=1001", "limit=x", "limit=", "limit=1.5", "offset=-1", "offset=99999999"])(
  "%s is refused",
  (query) => {
    expect(() => ask(query)).toThrow(/is not a whole number from/);
  },
);
