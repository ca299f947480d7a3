import { expect, test } from "vitest";
import { readTrailerFields } from "../http2/received-fields.ts";
import { readRequestFields } from "./request-fields.ts";

type Fields = [name: string, value: string][];
const read = (fields: Fields) => readRequestFields(fields.map(([name, value]) => ({ name, value })));
const get: Fields = [
  [":method", "GET"],
  [":scheme", "https"],
  [":path", "/a?b"],
  [":authority", "a.example"],
];

test("a request has the form of HTTP/1, with one cookie", () => {
  const head = read([...get, ["cookie", "a=1"], ["x-y", "\xe9"], ["cookie", "b=2"], ["te", "trailers"]]);
  expect(head).toEqual({
    method: "GET",
    target: "/a?b",
    authority: "a.example",
    protocol: "",
    headers: ["cookie", "a=1; b=2", "x-y", "\xe9", "te", "trailers"],
    contentLength: undefined,
    expectsContinue: false,
  });
});

test("the host stands in for the authority", () => {
  expect(read([...get.slice(0, 3), ["host", "b.example"]])).toMatchObject({ authority: "b.example" });
  expect(read([...get, ["host", "A.example"]])).toMatchObject({ authority: "a.example" });
});

test("an extended CONNECT names its protocol, a plain one its authority alone", () => {
  const connect = get.map(([name, value]): [string, string] => [
    name,
    name === ":method" ? "CONNECT" : value,
  ]);
  expect(read([...connect, [":protocol", "websocket"]])).toMatchObject({
    protocol: "websocket",
    target: "/a?b",
  });
  expect(
    read([
      [":method", "CONNECT"],
      [":authority", "a:443"],
    ]),
  ).toMatchObject({ method: "CONNECT", target: "a:443" });
  expect(read(connect)).toBe("CONNECT needs :authority alone");
});

const without = (name: string) => get.filter(([each]) => each !== name);
test.each<[string, Fields, string]>([
  ["no method", without(":method"), ":method is missing"],
  ["no scheme", without(":scheme"), ":scheme or :path"],
  ["no path", without(":path"), ":scheme or :path"],
  ["an empty path", [...without(":path"), [":path", ""]], ":scheme or :path"],
  ["a path with a space", [...without(":path"), [":path", "/a b HTTP/1.1"]], ":scheme or :path"],
  ["a path without slash", [...without(":path"), [":path", "a"]], ":scheme or :path"],
  ["* for another method than OPTIONS", [...without(":path"), [":path", "*"]], ":path is malformed"],
  ["a method with a space", [...without(":method"), [":method", "GET /"]], ":method is missing or malformed"],
  ["a pseudo field twice", [...get, [":path", "/"]], ":path comes twice"],
  ["an unknown pseudo field", [...get, [":x", "1"]], "is unknown"],
  ["one of Object's names", [...get, [":constructor", "1"]], "is unknown"],
  ["a pseudo field behind others", [["a", "b"], ...get], "stands behind others"],
  ["a name in upper case", [...get, ["X-A", "1"]], "name"],
  ["an empty name", [...get, ["", "1"]], "name"],
  ["a name with a colon", [...get, ["a:b", "1"]], "name"],
  ["a newline in a value", [...get, ["a", "b\r\nc: d"]], "value of a"],
  ["a NUL in a value", [...get, ["a", "b\0"]], "value of a"],
  ["a newline in the authority", [...without(":authority"), [":authority", "a\r\nb"]], "value of :authority"],
  ["a field of the connection", [...get, ["connection", "close"]], "has no place"],
  ["transfer-encoding", [...get, ["transfer-encoding", "chunked"]], "has no place"],
  ["another te", [...get, ["te", "gzip"]], "has no place"],
  ["two lengths", [...get, ["content-length", "1"], ["content-length", "2"]], "content-length"],
  ["a length that is none", [...get, ["content-length", "+1"]], "content-length"],
  ["two hosts", [...get, ["host", "a.example"], ["host", "a.example"]], "host comes twice"],
  ["another host than the authority", [...get, ["host", "b.example"]], "differ"],
  ["a value that begins with a blank", [...get, ["x", " 1"]], "value of x"],
  ["a value that ends with a blank", [...get, ["x", "1 "]], "value of x"],
  ["a value that ends with a tab", [...get, ["x", "a b\t"]], "value of x"],
  ["a value that is a blank", [...get, ["x", " "]], "value of x"],
  ["a path with a blank at its end", [...without(":path"), [":path", "/a "]], ":path"],
  ["another scheme", [...without(":scheme"), [":scheme", "javascript"]], ":scheme"],
  ["a scheme with a blank", [...without(":scheme"), [":scheme", "h ttp"]], ":scheme"],
  ["a protocol without CONNECT", [...get, [":protocol", "websocket"]], ":protocol"],
])("%s is malformed", (_name, fields, problem) => {
  expect(read(fields)).toEqual(expect.stringContaining(problem));
});

test("trailers have no pseudo fields", () => {
  expect(readTrailerFields([{ name: "a", value: "b" }])).toEqual(["a", "b"]);
  expect(readTrailerFields([{ name: ":path", value: "/" }])).toBe("a pseudo field in trailers");
  expect(readTrailerFields([{ name: "connection", value: "close" }])).toContain("has no place");
});
