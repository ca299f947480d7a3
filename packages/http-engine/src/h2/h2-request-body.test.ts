import { text } from "node:stream/consumers";
import { ServerError } from "server-core/errors";
import { expect, test } from "vitest";
import { H2RequestBody } from "./h2-request-body.ts";
import { H2Tunnel } from "./h2-tunnel.ts";

function make(length = -1, ended = false) {
  const taken: number[] = [];
  const body: H2RequestBody = new H2RequestBody(
    { bodyWanted: () => body.read(), bodyTaken: (bytes) => taken.push(bytes) },
    length,
    ended,
    5,
  );
  return { body, taken };
}

test("keeps a copy of what comes before anybody reads, and gives its room back when it is read", async () => {
  const { body, taken } = make();
  const piece = Buffer.from("early ");
  body.receive(piece);
  piece.fill(0);
  expect([taken, body.touched, body.bytes]).toEqual([[], false, 6]);
  const read = text(body.reader(false));
  body.receive(Buffer.from("late"));
  expect(body.end()).toBe(true);
  body.handOn();
  expect(await read).toBe("early late");
  expect([taken, body.touched]).toEqual([[6, 4], true]);
});

test("is given whole when all came and nobody has read of it", () => {
  const { body } = make(4);
  body.receive(Buffer.from("ab"));
  expect(body.whole).toBeUndefined();
  body.receive(Buffer.from("cd"));
  body.end();
  expect(body.whole?.toString()).toBe("abcd");
  expect(body.whole?.toString()).toBe("abcd");
  expect(body.givenBytes).toBe(4);
  body.touched = true;
  expect(body.whole).toBeUndefined();
});

test("counts once what was looked at whole and read then", async () => {
  const { body } = make(4);
  body.receive(Buffer.from("abcd"));
  body.end();
  expect(body.whole?.length).toBe(4);
  expect(await text(body.reader(false))).toBe("abcd");
  expect(body.givenBytes).toBe(4);
});

test("knows when less or more comes than was declared", () => {
  expect(make(1).body.end()).toBe(false);
  expect(make(1).body.receive(Buffer.from("ab"))).toBe(false);
});

test("gives back the room of what is dropped, and says when that is too much", () => {
  const { body, taken } = make(256 * 1024 + 2);
  expect(body.isDroppable).toBe(false);
  body.receive(Buffer.alloc(2));
  expect(body.isDroppable).toBe(true);
  body.drop();
  body.receive(Buffer.alloc(256 * 1024 - 1));
  expect([body.isOverDropped, body.whole]).toEqual([false, undefined]);
  expect(taken).toEqual([2, 256 * 1024 - 1]);
  const { body: endless } = make();
  endless.drop();
  endless.receive(Buffer.alloc(256 * 1024 + 1));
  expect(endless.isOverDropped).toBe(true);
});

test.each([
  ["before it is read", true],
  ["after", false],
])("whoever reads is told that it failed: %s", async (_name, isEarly) => {
  const { body } = make();
  const error = new ServerError("HTTP_TIMEOUT", "too slow");
  if (isEarly) {
    body.fail(error);
  }
  const read = text(body.reader(false));
  if (!isEarly) {
    body.fail(error);
  }
  await expect(read).rejects.toBe(error);
});

test("a stream that is lost when all went through is no fault of a body that is still read", async () => {
  const { body } = make();
  const read = text(body.reader(false));
  body.receive(Buffer.from("all"));
  body.end();
  body.handOn();
  body.lost(new ServerError("CLIENT_GONE", "gone"), false);
  expect(await read).toBe("all");
});

test("a stream that is lost before breaks the body off", async () => {
  const { body } = make();
  const read = text(body.reader(false));
  const error = new ServerError("CLIENT_GONE", "gone");
  body.lost(error, true);
  await expect(read).rejects.toBe(error);
});

test("is empty where nothing is to come", async () => {
  expect(await text(make(-1, true).body.reader(true))).toBe("");
});

test("goes through a tunnel, which is closed with its stream", () => {
  const { body } = make();
  const stream = {
    bodyWanted: () => body.read(),
    sendRaw: () => true,
    onceDrain() {},
    endRaw() {},
    cancel() {},
  };
  const tunnel = new H2Tunnel(stream);
  expect(body.isTunnel).toBe(false);
  body.leaveTo(tunnel);
  tunnel.read();
  body.receive(Buffer.from("bytes"));
  expect([body.isTunnel, tunnel.read()?.toString()]).toEqual([true, "bytes"]);
  body.lost(new ServerError("CLIENT_GONE", "gone"), true);
  expect(tunnel.destroyed).toBe(true);
});
