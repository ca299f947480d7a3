import { expect, test } from "vitest";
import { formatSql } from "./format-sql.ts";
import { indentJson } from "./indent-json.ts";
import { prettyValue } from "./pretty-value.ts";
import { stackLines } from "./stack-frames.ts";

test("JSON gets a line for each member, and keeps every letter of its values", () => {
  const text = '{"id":12345678901234567890,"a":[],"b":{},"list":[1,{"x":"a, b: {c}\\""}],"id":1e400}';
  expect(indentJson(text)).toBe(`{
  "id": 12345678901234567890,
  "a": [],
  "b": {},
  "list": [
    1,
    {
      "x": "a, b: {c}\\""
    }
  ],
  "id": 1e400
}`);
  expect(indentJson('{"a":')).toBeUndefined();
  expect(indentJson('"text"')).toBeUndefined();
});

test.each([
  [
    "select a, b from t left join u on t.id = u.id where x = 'a and b' and y between 1 and 2 or z in (select 1 from w) order by a limit 5",
    `select a, b
from t
left join u on t.id = u.id
where x = 'a and b'
  and y between 1 and 2
  or z in (
  select 1
  from w)
order by a
limit 5`,
  ],
  ["INSERT INTO t (a, b) VALUES (1, 'it''s')", "INSERT INTO t (a, b)\nVALUES (1, 'it''s')"],
  ["UPDATE t SET from_date = $1 WHERE id = $2", "UPDATE t\nSET from_date = $1\nWHERE id = $2"],
  ["DELETE   FROM t\n  WHERE a = 1", "DELETE FROM t\nWHERE a = 1"],
  ["SELECT 1 -- where is it\nFROM t", "SELECT 1 -- where is it\nFROM t"],
  ["SELECT * FROM a UNION ALL SELECT * FROM b", "SELECT *\nFROM a\nUNION ALL\nSELECT *\nFROM b"],
])("%s", (text, shown) => {
  expect(formatSql(text)).toBe(shown);
  const bare = (sql: string) => sql.replace(/\s+/g, "");
  expect(bare(shown)).toBe(bare(text));
});

test.each([
  [
    "Java",
    "java.lang.IllegalStateException: no stock\n\tat shop.Cart.add(Cart.java:7)\n\tat org.springframework.web.Servlet.run(Servlet.java:9)\nCaused by: java.io.IOException: gone\n\tat shop.Store.read(Store.java:3)\n\t... 12 more",
    ["message", "own", "library", "message", "own", "library"],
  ],
  [
    "JavaScript",
    "TypeError: x is not a function\n    at charge (/app/src/pay.js:1:2)\n    at Layer.handle (/app/node_modules/express/lib/layer.js:95:5)\n    at node:internal/process:1:1",
    ["message", "own", "library", "library"],
  ],
  [
    "Python",
    'Traceback (most recent call last):\n  File "/app/pay.py", line 3, in charge\n    send()\n  File "/usr/lib/python3.12/http/client.py", line 9, in send\n    raise X\nValueError: bad card',
    ["message", "own", "own", "library", "library", "message"],
  ],
  [
    "Go",
    "goroutine 1 [running]:\nmain.charge()\n\t/app/pay.go:12 +0x1d\nnet/http.serve()\n\t/usr/local/go/src/net/http/server.go:2136 +0x29",
    ["message", "message", "own", "message", "library"],
  ],
])("a stack trace of %s is read line by line", (_, text, kinds) => {
  expect(stackLines(text)?.map(({ kind }) => kind)).toEqual(kinds);
});

test("an address is taken apart, decoded; what reads well stays as it is", () => {
  expect(prettyValue("url.full", "https://shop.example/a%20b?q=caf%C3%A9&q=2&empty=#top")).toEqual({
    kind: "url",
    parts: [
      ["host", "https://shop.example"],
      ["path", "/a b"],
      ["?q", "café"],
      ["?q", "2"],
      ["?empty", ""],
      ["#", "top"],
    ],
  });
  for (const text of [
    "https://shop.example/a",
    "select your size",
    "{not json}",
    "one\ntwo",
    "x".repeat(200_001),
  ]) {
    expect(prettyValue("note", text), text.slice(0, 20)).toBeUndefined();
  }
});
