import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  compileBodyTemplate,
  compileHeaderTemplate,
  compileMappedTemplate,
  isFixed,
  readPlaceholder,
  setPlaceholder,
} from "./placeholders.ts";
import { makeExchange } from "./testing/make-exchange.ts";

const exchange = makeExchange({ target: "/%C3%A4/b?q=1%0A2", headers: ["X-H", "v", "Host", "a"] });

test.each([
  ["plain", "plain"],
  ["{http.request.method} {http.request.uri.path}", "GET /ä/b"],
  ["\\{http.request.method\\}", "{http.request.method}"],
  ["{unknown.name} {http.regexp.none}", "{unknown.name} {http.regexp.none}"],
  ['{"json": {"a": 1}}', '{"json": {"a": 1}}'],
  ["{http.request.header.X-H}{http.request.uri.query.q}", "v1\n2"],
  ["{http.request.header.Host}|{http.request.header.host}", "|"],
])("%s is %j", (text, expected) => {
  expect(compileBodyTemplate(text)(exchange)).toBe(expected);
});

test("the environment and the machine have names", () => {
  process.env.PLACEHOLDERS_TEST = "from outside";
  expect(compileBodyTemplate("{env.PLACEHOLDERS_TEST}|{env.PLACEHOLDERS_NONE}|{system.wd}")(exchange)).toBe(
    `from outside||${process.cwd()}`,
  );
  delete process.env.PLACEHOLDERS_TEST;
});

test.each([
  ["2001:DB8:1234::ff", "24,33", "2001:db8::/33"],
  ["2001:db8:1234:ffff::1", "60", "2001:db8:1234:fff0::/60"],
  ["fe80::1%eth0", "8,128", "fe80::1/128"],
  ["2001:db8::1", "24,129", ""],
  ["198.51.100.7", "25,64", "198.51.100.0/25"],
  ["198.51.100.7", "0", "0.0.0.0/0"],
  ["198.51.100.7", "-1", ""],
])("the network of %s with %s bits is %s", (remoteAddress, bits, network) => {
  const placeholder = compileBodyTemplate(`{http.request.remote.host/${bits}}`);
  expect(placeholder(makeExchange({ remoteAddress }))).toBe(network);
});

test("texts without placeholders are the same for everybody", () => {
  expect([
    isFixed(compileBodyTemplate("\\{a}")),
    isFixed(compileBodyTemplate('{"a":1}')),
    isFixed(compileBodyTemplate("{x}")),
  ]).toEqual([true, true, false]);
});

test("header values hold bytes, and no control character of decoded values", () => {
  expect(compileHeaderTemplate("ä {http.request.uri.query.q}")(exchange)).toBe("Ã¤ 1 2");
});

test("header values have no blanks at their ends, and bytes that are no UTF-8 as they came", () => {
  const odd = makeExchange({ target: "/\xff?q=%20a%0A" });
  expect(compileHeaderTemplate("{http.request.uri.query.q}")(odd)).toBe("a");
  expect(compileHeaderTemplate(" fixed ")(odd)).toBe("fixed");
  expect(compileHeaderTemplate("{http.request.uri.path}")(odd)).toBe("/\xff");
});

test("values of fields are text: UTF-8 is decoded once, other bytes stay what they are", () => {
  const sent = makeExchange({ headers: ["X-Name", "J\xc3\xbcrgen", "X-Old", "J\xfcrgen"] });
  sent.responseHeaders.push("X-Name", "\xe2\x82\xac");
  sent.vars.set("name", compileBodyTemplate("{http.request.header.X-Name}")(sent));
  const text =
    "{http.request.header.X-Name} {http.vars.name} {http.response.header.x-name} {http.request.header.x-old}";
  expect(compileBodyTemplate(text)(sent)).toBe("Jürgen Jürgen € J\udcfcrgen");
  expect(compileHeaderTemplate(text)(sent)).toBe("J\xc3\xbcrgen J\xc3\xbcrgen \xe2\x82\xac J\xfcrgen");
});

test("handlers give names values, at once or when they are asked for", () => {
  const own = makeExchange();
  let made = 0;
  setPlaceholder(own, "mine", () => `made ${++made}`);
  setPlaceholder(own, "http.regexp.x.1", "one");
  expect(made).toBe(0);
  expect(compileBodyTemplate("{mine} {mine} {http.regexp.x.1}")(own)).toBe("made 1 made 1 one");
  expect(compileBodyTemplate("{mine}")(makeExchange())).toBe("{mine}");
  expect([readPlaceholder(own, "mine"), readPlaceholder(own, "nobody.knows")]).toEqual(["made 1", undefined]);
});

test("values may be changed on their way into a text", () => {
  expect(
    compileMappedTemplate("a*{http.request.method}", (value, name) => `<${value} ${name}>`)(exchange),
  ).toBe("a*<GET http.request.method>");
});

test("files are read without their last newline, up to 1 MiB", () => {
  const folder = mkdtempSync(join(tmpdir(), "placeholders-"));
  const [small, large] = [join(folder, "small"), join(folder, "large")];
  writeFileSync(small, "secret\n\n");
  writeFileSync(large, "x".repeat(1024 * 1024 + 1));
  writeFileSync(join(folder, "latin"), Buffer.from("\xfc", "latin1"));
  const read = (path: string) => compileBodyTemplate(`{file.${path}}`)(exchange);
  expect([read(small), read(large), read(join(folder, "none"))]).toEqual(["secret\n", "", ""]);
  expect(compileHeaderTemplate(`{file.${join(folder, "latin")}}`)(exchange)).toBe("\xfc");
  rmSync(folder, { recursive: true });
});

test.each([
  ["example.com", "example.com", ""],
  ["Example.com:080", "Example.com", "80"],
  ["[::1]:8080", "::1", "8080"],
  ["[::1]", "[::1]", ""],
  ["a:", "a", ""],
])("host and port of %s are %j and %j", (host, name, port) => {
  const exchange = makeExchange({ host });
  expect(
    compileBodyTemplate("{http.request.host}|{http.request.port}|{http.request.hostport}")(exchange),
  ).toBe(`${name}|${port}|${host}`);
});

test.each([
  ["::1", "[::1]:4321", "::1"],
  ["::ffff:192.0.2.9", "192.0.2.9:4321", "192.0.2.9"],
  ["fe80::1%eth0", "[fe80::1%eth0]:4321", "fe80::1"],
])("who is connected from %s: %s, client %s", (remoteAddress, remote, client) => {
  const exchange = makeExchange({ remoteAddress });
  expect(compileBodyTemplate("{http.request.remote}|{http.vars.client_ip}")(exchange)).toBe(
    `${remote}|${client}`,
  );
});

test("the last segment of the path stays escaped", () => {
  const exchange = makeExchange({ target: "/a/b%2Fc%20d?x" });
  expect(compileBodyTemplate("{http.request.orig_uri.path.file_escaped}")(exchange)).toBe("b%2Fc%20d");
});
