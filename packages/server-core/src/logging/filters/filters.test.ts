import { expect, test } from "vitest";
import { provisionModule } from "../../../../admin-server/src/testing/provision-module.ts";
import type { LogValue } from "../log-entry.ts";
import { logFilters } from "../log-modules.ts";

test.each<[string, object, LogValue, LogValue | undefined]>([
  ["delete", {}, "x", undefined],
  ["replace", { value: "new" }, { any: 1 }, "new"],
  ["replace", {}, 5, ""],
  ["hash", {}, "secret", "2bb80d53"],
  ["hash", {}, ["secret", 1], ["2bb80d53", 1]],
  ["hash", {}, 7, 7],
  ["ip_mask", { ipv4_cidr: 16, ipv6_cidr: 32 }, "192.0.2.77", "192.0.0.0"],
  ["ip_mask", { ipv4_cidr: 16, ipv6_cidr: 32 }, "192.0.2.77:80, 2001:db8:1:2::3", "192.0.0.0:80, 2001:db8::"],
  ["ip_mask", { ipv6_cidr: 20 }, "[2001:db8::1]:443", "[2001::]:443"],
  ["ip_mask", { ipv6_cidr: 128 }, "::ffff:1.2.3.4", "0.0.0.0"],
  ["ip_mask", { ipv4_cidr: 16 }, "[::ffff:1.2.3.4]:80, 1.2.3.4:http", "1.2.0.0:80, 1.2.0.0:http"],
  ["ip_mask", {}, ["10.1.2.3", "host.example"], ["0.0.0.0", "host.example"]],
  ["ip_mask", { ipv4_cidr: 32 }, "255.254.253.252", "255.254.253.252"],
  ["query", { actions: [{ type: "hash", parameter: "k" }] }, "/p?k=secret&x=1", "/p?k=2bb80d53&x=1"],
  ["query", { actions: [{ type: "delete", parameter: "k" }] }, "/p?k=1", "/p"],
  ["query", { actions: [{ type: "delete", parameter: "k" }] }, "/p", "/p"],
  ["query", { actions: [{ type: "delete", parameter: "k" }] }, "/p?", "/p?"],
  ["query", { actions: [{ type: "delete", parameter: "k" }] }, "/p?z=1&k=2&a=3#f", "/p?a=3%23f&z=1"],
  [
    "query",
    { actions: [{ type: "delete", parameter: "k" }] },
    "http://h/p?k=2&a=3#f?k=1",
    "http://h/p?a=3#f?k=1",
  ],
  ["query", { actions: [{ type: "delete", parameter: "k" }] }, "http://h/p#f?k=1", "http://h/p#f?k=1"],
  [
    "cookie",
    { actions: [{ type: "replace", name: "s", value: "R" }] },
    ["s=1; t=2", "s=3"],
    ["s=R; t=2; s=R"],
  ],
  ["cookie", { actions: [{ type: "delete", name: "s" }] }, ["s=1"], []],
  [
    "set_cookie",
    {
      actions: [
        { type: "replace", name: "s", value: "R" },
        { type: "delete", name: "d" },
      ],
    },
    ["s=1; Path=/; HttpOnly", "d=1", "k=2"],
    ["s=R; Path=/; HttpOnly", "k=2"],
  ],
  [
    "set_cookie",
    { actions: [{ type: "hash", name: "s" }] },
    ['s="secret"; Path=/'],
    ['s="2bb80d53"; Path=/'],
  ],
  ["set_cookie", { actions: [{ type: "delete", name: "d" }] }, "d=1", undefined],
  ["regexp", { regexp: "\\d+", value: "#" }, "a1b22", "a#b#"],
  [
    "multi_regexp",
    {
      operations: [
        { regexp: "a", value: "b" },
        { regexp: "b+", value: "c" },
      ],
    },
    "aab",
    "c",
  ],
])("%s %j of %j is %j", async (name, config, value, expected) => {
  expect((await provisionModule(logFilters, name, config)).filter(value)).toEqual(expected);
});

test("rename says the other name", async () => {
  expect((await provisionModule(logFilters, "rename", { name: "other" })).rename).toBe("other");
});
