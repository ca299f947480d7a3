import fc from "fast-check";
import { expect, test } from "vitest";
import type { HttpMatcher } from "./handler.ts";
import { hostsOf, RouteIndex } from "./route-index.ts";

const bound = (...hosts: string[]): HttpMatcher => ({ matches: () => true, exactHosts: hosts });
const free: HttpMatcher = { matches: () => true };

test("finds exactly the routes that can match a host, in their order", () => {
  const host = fc.constantFrom("a", "b", "c", "d");
  const set = fc.array(
    fc.oneof(
      host.map((name) => bound(name)),
      fc.constant(free),
    ),
    { maxLength: 2 },
  );
  const routes = fc.array(
    fc.array(set, { maxLength: 2 }).map((matcherSets) => ({ matcherSets })),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(routes, host, (list, wanted) => {
      const all = [...list, ...Array.from({ length: 8 }, () => ({ matcherSets: [[bound("a")]] }))];
      const index = RouteIndex.of(all.map(({ matcherSets }) => ({ hosts: hostsOf(matcherSets) })));
      const found: number[] = [];
      for (let at = index?.next(0, wanted) ?? 0; at < all.length; at = index?.next(at + 1, wanted) ?? 0) {
        found.push(at);
      }
      const cannot = ({ matcherSets }: (typeof all)[number]) =>
        matcherSets.length > 0 &&
        matcherSets.every((each) => each.some(({ exactHosts }) => exactHosts !== undefined)) &&
        !matcherSets.some((each) => {
          const first = each.find(({ exactHosts }) => exactHosts !== undefined);
          return first?.exactHosts?.includes(wanted);
        });
      expect(found).toEqual(all.flatMap((each, position) => (cannot(each) ? [] : [position])));
    }),
  );
});

test("few routes, or few that name hosts, need none", () => {
  expect(RouteIndex.of([{ hosts: ["a"] }])).toBeUndefined();
  expect(RouteIndex.of(Array.from({ length: 20 }, () => ({ hosts: undefined })))).toBeUndefined();
});

test("is made anew only when the hosts of a route are other ones", () => {
  const routes = Array.from({ length: 20 }, (_, index) => ({ hosts: [`h${index}`] }));
  const index = RouteIndex.of(routes);
  expect(index?.next(0, "h7")).toBe(7);
  expect(RouteIndex.of(routes.with(7, { hosts: ["h7"] }))).toBe(index);
  const moved = RouteIndex.of(routes.with(7, { hosts: ["other"] }));
  expect(moved?.next(0, "h7")).toBe(20);
  expect(moved?.next(0, "other")).toBe(7);
  const unbound: { hosts: string[] | undefined }[] = routes;
  expect(RouteIndex.of(unbound.with(7, { hosts: undefined }))?.next(0, "h9")).toBe(7);
  expect(RouteIndex.of(routes.slice(0, 10))?.next(0, "h15")).toBe(10);
});

test("a route may have more hosts than a call has room for arguments", () => {
  const hosts = Array.from({ length: 200_000 }, (_, index) => `${index}.example`);
  expect(hostsOf([[bound(...hosts.slice(0, 1))], [{ matches: () => true, exactHosts: hosts }]])).toHaveLength(
    200_001,
  );
});
