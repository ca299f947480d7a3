import { expect, test } from "vitest";
import { RequestsUnderWay, readRequestsLeft, underWayBytes } from "./requests-under-way.ts";

function make() {
  const memory = new SharedArrayBuffer(underWayBytes);
  return { memory, underWay: new RequestsUnderWay(memory) };
}

test("what has not ended can be read, without its query", () => {
  const { memory, underWay } = make();
  const first = underWay.begin("GET", "a.test", "/x?token=secret");
  const second = underWay.begin("POST", "b.test:8080", "/y");
  underWay.addRemote(second, "192.0.2.1");
  underWay.begin("PURGE", "c.test", "/z?q");
  underWay.end(first);
  expect(readRequestsLeft(memory)).toEqual({
    requests: expect.arrayContaining([
      { method: "POST", host: "b.test:8080", path: "/y", remote: "192.0.2.1" },
      { method: "PURGE", host: "c.test", path: "/z", remote: "" },
    ]),
    more: 0,
  });
  expect(readRequestsLeft(memory).requests).toHaveLength(2);
});

test("the same request again, another one in its place, and the same in another place", () => {
  const { memory, underWay } = make();
  for (const target of ["/a", "/a", "/b", "/a"]) {
    const place = underWay.begin("GET", "x", target);
    underWay.addRemote(place, "192.0.2.1");
    expect(readRequestsLeft(memory).requests).toEqual([
      { method: "GET", host: "x", path: target, remote: "192.0.2.1" },
    ]);
    underWay.end(place);
  }
  underWay.begin("GET", "x", "/a");
  underWay.begin("POST", "x", "/a");
  const left = readRequestsLeft(memory).requests;
  expect(left).toHaveLength(2);
  expect(left).toContainEqual({ method: "GET", host: "x", path: "/a", remote: "" });
  expect(left).toContainEqual({ method: "POST", host: "x", path: "/a", remote: "" });
  underWay.close();
  underWay.begin("GET", "x", "/a");
  expect(readRequestsLeft(memory).requests).toHaveLength(1);
});

test("long texts are cut, and do not run into one another", () => {
  const { memory, underWay } = make();
  const place = underWay.begin("GET", "h".repeat(500), `/${"p".repeat(5000)}`);
  underWay.addRemote(place, "f".repeat(100));
  const [request] = readRequestsLeft(memory).requests;
  expect(request).toEqual({
    method: "GET",
    host: "h".repeat(80),
    path: `/${"p".repeat(249)}`,
    remote: "f".repeat(48),
  });
});

test("more than have a place are counted, and places are used again", () => {
  const { memory, underWay } = make();
  const places = Array.from({ length: 200 }, (_, index) => underWay.begin("GET", "a", `/${index}`));
  expect(readRequestsLeft(memory)).toMatchObject({ requests: { length: 128 }, more: 72 });
  for (const place of places) {
    underWay.end(place);
  }
  expect(readRequestsLeft(memory)).toEqual({ requests: [], more: 0 });
  underWay.begin("GET", "a", "/again");
  expect(readRequestsLeft(memory).requests[0]?.path).toBe("/again");
});

test("the next thread begins with none", () => {
  const { memory, underWay } = make();
  underWay.begin("GET", "a", "/");
  new RequestsUnderWay(memory);
  expect(readRequestsLeft(memory)).toEqual({ requests: [], more: 0 });
});
