import { expect, test } from "vitest";
import { parseCacheControl, secondsOf } from "./cache-control.ts";
import { isStorable, StoredResponse } from "./stored-response.ts";

const get = (...headers: string[]) => ({ method: "GET", headers });
const now = Date.parse("2026-01-02T03:04:05Z");
const date = ["Date", "Fri, 02 Jan 2026 03:04:05 GMT"];

test("directives may be quoted, repeated and strange", () => {
  const control = parseCacheControl([
    'MAX-AGE=5, private="set-cookie, x"',
    "no-cache,,max-age=9, s-maxage=a",
  ]);
  expect([...control.keys()]).toEqual(["max-age", "private", "no-cache", "s-maxage"]);
  expect([secondsOf(control, "max-age"), secondsOf(control, "s-maxage"), secondsOf(control, "none")]).toEqual(
    [5, 0, undefined],
  );
});

test.each([
  [get(), 200, ["Cache-Control", "max-age=5"], true],
  [get(), 200, ["Cache-Control", "s-maxage=5, private"], false],
  [get(), 200, ["Cache-Control", "no-store, max-age=5"], false],
  [get("Cache-Control", "no-store"), 200, ["Cache-Control", "max-age=5"], false],
  [get(), 200, [], false],
  [get(), 200, ["Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT"], true],
  [get(), 500, ["Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT"], false],
  [get(), 500, ["Cache-Control", "max-age=5"], true],
  [get(), 206, ["Cache-Control", "max-age=5"], false],
  [get(), 200, ["Expires", "Fri, 02 Jan 2026 04:04:05 GMT"], true],
  [get(), 200, ["Cache-Control", "max-age=5", "Vary", "Accept, *"], false],
  [get(), 200, ["Cache-Control", "max-age=5", "Set-Cookie", "a=1"], false],
  [get("Authorization", "x"), 200, ["Cache-Control", "max-age=5"], false],
  [get("Authorization", "x"), 200, ["Cache-Control", "max-age=5, public"], true],
  [{ method: "POST", headers: [] }, 200, ["Cache-Control", "max-age=5"], false],
])("%j, %i and %j may be kept: %s", (request, status, headers, expected) => {
  expect(isStorable(request, status, headers, 0)).toBe(expected);
});

test("a lifetime of the config makes silent responses storable", () => {
  expect(isStorable(get(), 200, [], 60)).toBe(true);
});

const stored = (headers: string[], fallback = 0, request = get()) =>
  new StoredResponse(request, {
    status: 200,
    headers: [...date, ...headers],
    body: Buffer.from("b"),
    fallbackSeconds: fallback,
    nowMs: now,
  });

test.each([
  [["Cache-Control", "max-age=60"], 60],
  [["Cache-Control", "max-age=60, s-maxage=30"], 30],
  [["Expires", "Fri, 02 Jan 2026 03:04:25 GMT"], 20],
  [["Expires", "0"], 0],
  [["Cache-Control", "max-age=60", "Age", "15"], 45],
  [["Last-Modified", "Fri, 02 Jan 2026 03:02:25 GMT"], 10],
  [["Last-Modified", "Thu, 02 Jan 2020 03:02:25 GMT"], 86_400],
])("%j is fresh for %i seconds", (headers, seconds) => {
  expect(stored(headers).timeToLive(now)).toBeCloseTo(seconds, 3);
});

test.each([
  [["Cache-Control", "max-age=60"], get(), 30, "fresh"],
  [["Cache-Control", "max-age=60"], get(), 61, "revalidate"],
  [["Cache-Control", "max-age=60"], get("Cache-Control", "no-cache"), 1, "revalidate"],
  [["Cache-Control", "max-age=60"], get("Pragma", "no-cache"), 1, "revalidate"],
  [["Cache-Control", "max-age=60"], get("Cache-Control", "max-age=10"), 11, "revalidate"],
  [["Cache-Control", "max-age=60"], get("Cache-Control", "min-fresh=40"), 30, "revalidate"],
  [["Cache-Control", "max-age=60"], get("Cache-Control", "max-stale=10"), 65, "fresh"],
  [["Cache-Control", "max-age=60, must-revalidate"], get("Cache-Control", "max-stale"), 65, "revalidate"],
  [["Cache-Control", "max-age=60, must-revalidate"], get(), 30, "fresh"],
  [["Cache-Control", "max-age=60, no-cache"], get(), 1, "revalidate"],
  [["Cache-Control", "max-age=60, stale-while-revalidate=30"], get(), 70, "stale"],
  [["Cache-Control", "max-age=60, stale-while-revalidate=30"], get(), 95, "revalidate"],
])("%j for %j after %i s: %s", (headers, request, seconds, expected) => {
  expect(stored(headers).use(request, now + seconds * 1000)).toBe(expected);
});

test("stands in for an origin that fails while it may", () => {
  const response = stored(["Cache-Control", "max-age=60, stale-if-error=100"]);
  expect([response.usableOnError(now + 100_000), response.usableOnError(now + 200_000)]).toEqual([
    true,
    false,
  ]);
  expect(stored(["Cache-Control", "max-age=60"]).usableOnError(now + 61_000)).toBe(false);
});

test("fits requests with the same selecting fields", () => {
  const response = stored(["Vary", "Accept-Language, X"], 0, get("accept-language", "de,  en"));
  expect(response.fits(get("Accept-Language", "de, en"))).toBe(true);
  expect(response.fits(get("Accept-Language", "de", "Accept-Language", "en"))).toBe(true);
  expect(response.fits(get("Accept-Language", "en"))).toBe(false);
  expect(response.fits(get("Accept-Language", "de, en", "X", "1"))).toBe(false);
});
