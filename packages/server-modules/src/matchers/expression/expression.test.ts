import { HttpError } from "http-engine/http-error";
import { readPlaceholder } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../../admin-server/src/testing/provision-module.ts";

test.each([
  ["true", true],
  ['{http.request.method} == "GET"', true],
  ["{http.request.uri.path}.startsWith('/a') && method('GET')", true],
  ["method('POST', 'PUT')", false],
  ["!path('/a/*')", false],
  ["path('/x', '/a/b')", true],
  ["path({http.request.uri.path})", true],
  ["path('/a/' + 'b')", true],
  ["path('{http.request.uri.path}')", true],
  ["host('example.com') || protocol('https')", true],
  ["header({'X-A': ['1', '2']})", true],
  ["header({'X-A': '3'})", false],
  ["header({'X-A': '2*'}) && query({'q': '*'})", true],
  ["query({'q': ['z']})", false],
  ["header_regexp('X-A', '^[0-9]+$')", true],
  ["header_regexp('n', 'X-A', '^(2)') && {http.regexp.n.1} == '2'", true],
  ["path_regexp('^/(a)')", true],
  ["path_regexp('p', '^/(a)') && {http.regexp.p.1} == 'a'", true],
  ["remote_ip('192.0.2.0/24')", true],
  ["client_ip('10.0.0.0/8', '::1')", false],
  ["vars({'v': 'x'})", true],
  ["vars({'{http.request.method}': ['GET']})", true],
  ["vars_regexp('v', '^.$')", true],
  ["url_pattern('/a/:what')", true],
  ["url_pattern('/a/:what', 'http://other.example')", false],
  ["file({'root': '/', 'try_files': ['/dev/null']})", true],
  ["file('/absent-file-of-this-test')", false],
  ["{http.error.status_code} in [404, 410]", true],
  ["{http.error.status_code} >= 400 && {http.error.status_code} <= 499", true],
  ["{http.vars.count} > 2.0", true],
  ["{http.vars.absent} == null", true],
  ["{http.vars.absent} == ''", false],
  ["{http.request.duration_ms} >= 0.0 && {http.request.tls.version} == null", true],
  ["matches({http.request.uri.path}, '^/a')", true],
  ["{http.vars.v} == 'x' ? path('/a/*') : false", true],
  ["{http.request.method} in ['GET', 'HEAD'] && 'a' in \\{'a': 1}", true],
  ["[1, 2].map(n, n + 1).filter(n, n > 2).size() == 1 && [true].all(b, b)", true],
  ["'a,b'.split(',')[1] == 'b' && \\{'a': {http.vars.v}}.a == 'x'", true],
  ["duration('1h') > duration('60s') && type(1) == int && string(1) == '1'", true],
  ["int({http.vars.count}) + 1 == 4 && -1 < 0 && has(\\{'a': 1}.a)", true],
  ["{http.request.header.X-A}.matches('^2$')", true],
  ["[1, 2, 3].exists(n, n == 2)", true],
  ["['/a/b'].exists(p, path('/a/b'))", true],
  ["size(\\{'a': 1}) == 1", true],
  ["'{not a placeholder' != ''", true],
  ["{time.now} > timestamp('2020-01-01T00:00:00Z') && {time.now}.getFullYear() > 2020", true],
  ["type({time.now}) == google.protobuf.Timestamp && {time.now} != 'x'", true],
  ["type({http.request.duration}) == google.protobuf.Duration", true],
  ["{http.request.duration} < duration('10s')", true],
  ["{http.shutting_down} || {http.time_until_shutdown} != null", false],
  ["'añb'.reverse() == 'bña' && [1, 2].reverse() == [2, 1]", true],
  ["[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b']", true],
  ["[duration('2s'), duration('1s')].sort()[0] == duration('1s')", true],
  ["[1, 2, 3].sortBy(x, -x) == [3, 2, 1] && ['bb', 'a'].sortBy(s, s.size()) == ['a', 'bb']", true],
  ["[1, 2, 2.0, 1u, [1], [1]].distinct() == [1, 2, [1]]", true],
  ["[[1], [2, [3]]].flatten() == [1, 2, [3]] && [[1, [2, [3]]]].flatten(2) == [1, 2, [3]]", true],
  ["[1, 2, 3].slice(1, 3) == [2, 3] && lists.range(3) == [0, 1, 2] && lists.range(-1) == []", true],
  ["strings.quote('a\\n\"') == '\"a\\\\n\\\\\"\"'", true],
  ["cel.bind(x, {http.vars.v}, x + x == 'xx') && [1].all(n, cel.bind(m, n, m == 1))", true],
  ["math.greatest(1, 2.5, 2) == 2.5 && math.least([3, 1, 2]) == 1 && math.least(-1) == -1", true],
  ["math.ceil(1.2) == 2.0 && math.floor(-1.2) == -2.0 && math.round(-1.5) == -2.0", true],
  ["math.trunc(-1.9) == -1.0 && math.sign(-3) == -1 && math.abs(-2.5) == 2.5 && math.sqrt(4) == 2.0", true],
  ["math.isNaN(0.0 / 0.0) && math.isInf(1.0 / 0.0) && !math.isFinite(1.0 / 0.0)", true],
  ["math.bitAnd(6, 3) == 2 && math.bitOr(4u, 1u) == 5u && math.bitXor(6, 3) == 5", true],
  ["math.bitNot(1) == -2 && math.bitShiftLeft(1, 64) == 0", true],
  ["math.bitShiftRight(-1024, 3) == 2305843009213693824", true],
])("%s is %s", async (expression, expected) => {
  const matcher = await provisionMatcher("expression", expression);
  const exchange = makeExchange({ target: "/a/b?q=1", headers: ["X-A", "2"] });
  exchange.vars.set("v", "x");
  exchange.vars.set("count", 3);
  exchange.error = new HttpError(404);
  expect(matcher.matches(exchange)).toBe(expected);
});

test("an object names the captures", async () => {
  const matcher = await provisionMatcher("expression", { expr: "path_regexp('^/(.)')", name: "named" });
  const exchange = makeExchange({ target: "/z" });
  expect(matcher.matches(exchange)).toBe(true);
  expect(readPlaceholder(exchange, "http.regexp.named.1")).toBe("z");
});

test.each([
  ["1 +", /compiling CEL program/],
  ["path({http.request.uri.path}.size())", /arguments of path\(\) must be constant/],
  ["path()", /arguments of path\(\)/],
  ["path_regexp('(')", /expression: path_regexp\(\): .*regular expression/],
  ["protocol('gopher')", /expression: protocol\(\)/],
  ["{http.request.uri.path}", /expects return type of bool, not dyn/],
  ["'a'", /expects return type of bool, not string/],
  ["path('/a') ? true : {http.vars.v}", /expects return type of bool, not dyn/],
  ["[1].map(n, n)", /expects return type of bool, not list\(/],
  ["1 == 'a'", /no matching overload for '_==_' applied to '\(int, string\)'/],
  ["1 + 1u == 2", /no matching overload for '_\+_'/],
  ["true && 1", /no matching overload/],
  ["'a'.startsWith(1)", /no matching overload for 'startsWith' applied to 'string\.\(int\)'/],
  ["size(1) == 1", /no matching overload for 'size'/],
  ["1 in \\{'a': 1}", /no matching overload for '@in'/],
  ["foo", /undeclared reference to 'foo'/],
  ["foo()", /undeclared reference to 'foo'/],
  ["'a'.foo()", /undeclared reference to 'foo'/],
  ["request.method == 'GET'", /undeclared reference to 'request'/],
  ["'a'.b == 1", /type 'string' does not support field selection/],
  ["'a'.all(x, true)", /cannot be range of a comprehension/],
  ["x".repeat(10_001), /expression of 10001 characters, limit 10000/],
])("%.40s is refused", async (expression, message) => {
  await expect(provisionMatcher("expression", expression)).rejects.toThrow(message);
});

test("an expression that fails for a request is an error of that request", async () => {
  const matcher = await provisionMatcher("expression", "{http.request.method} > 3");
  expect(() => matcher.matches(makeExchange())).toThrow(/evaluating expression/);
});

test("a regular expression cannot blow up", async () => {
  const matcher = await provisionMatcher("expression", "{http.request.uri.path}.matches('^/(a+)+$')");
  expect(matcher.matches(makeExchange({ target: `/${"a".repeat(2000)}!` }))).toBe(false);
});

test("a regular expression is compiled once, and bounded as those of matchers are", async () => {
  const matcher = await provisionMatcher(
    "expression",
    "{http.request.uri.path}.matches('(?:(?:a?){30}){30}$')",
  );
  expect(matcher.matches(makeExchange({ target: "/a" }))).toBe(true);
  expect(matcher.matches(makeExchange({ target: "/b" }))).toBe(true);
  const long = makeExchange({ target: `/${"a".repeat(200_000)}` });
  expect(() => matcher.matches(long)).toThrow(/a text of 200001 characters, limit/);
});
