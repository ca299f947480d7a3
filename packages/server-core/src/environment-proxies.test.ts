import { expect, test } from "vitest";
import { environmentProxies } from "./environment-proxies.ts";

const proxies = { HTTP_PROXY: "http://plain:3128", HTTPS_PROXY: "secure:3129" };

/** @param place `host port` */
function isStraight(environment: Record<string, string>, place: string): boolean | undefined {
  const [host = "", port = "80"] = place.split(" ");
  return environmentProxies(environment)?.isException(host, Number(port));
}

test("each scheme has a proxy, lower case goes first, and a scheme may be left out", () => {
  expect(environmentProxies({ ...proxies, https_proxy: "", http_proxy: "socks5://lower" })).toMatchObject({
    http: "socks5://lower",
    https: "http://secure:3129",
  });
  expect(environmentProxies({ NO_PROXY: "*" })).toBeUndefined();
  expect(environmentProxies({ HTTP_PROXY: "http://evil", REQUEST_METHOD: "GET" })).toBeUndefined();
  expect(environmentProxies({ HTTPS_PROXY: "p" })).toMatchObject({ http: "", https: "http://p" });
});

test.each(["localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "LOCALHOST"])(
  "%s is of this machine",
  (host) => {
    expect(isStraight(proxies, host)).toBe(true);
  },
);

test.each([
  ["a.example", "a.example", true],
  ["a.example", "A.Example", true],
  ["a.example", "b.a.example", true],
  ["a.example", "ba.example", false],
  [".a.example", "a.example", false],
  [".a.example", "b.a.example", true],
  ["*.a.example", "b.a.example", true],
  ["*.a.example", "a.example", false],
  ["a.example:8080", "a.example 8080", true],
  ["a.example:8080", "a.example 80", false],
  ["a.example:", "a.example", true],
  ["b.example, a.example ,", "a.example", true],
  ["*", "a.example", true],
  ["b.example,*", "192.0.2.1", true],
  ["bücher.example", "xn--bcher-kva.example", true],
  ["xn--bcher-kva.example", "bücher.example", true],
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "192.0.2.10", false],
  ["192.0.2.1:81", "192.0.2.1 81", true],
  ["192.0.2.1:81", "192.0.2.1 80", false],
  ["192.0.2.0/24", "192.0.2.77", true],
  ["192.0.2.0/24", "192.0.3.77", false],
  ["192.0.2.0/33", "192.0.2.77", false],
  ["2001:db8::/32", "2001:db8::1", true],
  ["2001:db8::/32", "2001:db9::1", false],
  ["2001:db8::1", "2001:DB8::1", true],
  ["[2001:db8::1]:81", "2001:db8::1 81", true],
  ["[2001:db8::1]:81", "2001:db8::1 80", false],
  ["[fe80::1]", "fe80::1%eth0", false],
  ["fe80::1", "fe80::1%eth0", true],
  ["2.1", "192.0.2.1", false],
  [":80", "a.example", false],
])("NO_PROXY %s and %s: straight %j", (NO_PROXY, place, expected) => {
  expect(isStraight({ ...proxies, NO_PROXY }, place)).toBe(expected);
});
