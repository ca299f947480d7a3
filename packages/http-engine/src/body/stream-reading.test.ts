import type { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { ContainedReadable } from "./contained-stream.ts";
import { StreamReading } from "./stream-reading.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

function reading(source: Readable, data: (chunk: Buffer) => boolean = () => true) {
  const told: string[] = [];
  const read = new StreamReading(source, {
    data(chunk) {
      told.push(`data ${chunk}`);
      return data(chunk);
    },
    end: () => told.push("end"),
    failed: (error) => told.push(`failed: ${error.message}`),
  });
  return { read, told };
}

test("data, then the end, once", async () => {
  const { told } = reading(Readable.from(["a", "b"]));
  await turn();
  expect(told).toEqual(["data a", "data b", "end"]);
});

test.each<[string, (source: PassThrough) => unknown, string]>([
  ["an error", (source) => source.destroy(new Error("broken")), "failed: broken"],
  ["no error", (source) => source.destroy(), "failed: the body ended early"],
])("a stream destroyed with %s tells of it before and after it is read", async (_, destroy, expected) => {
  const during = new PassThrough();
  const { told } = reading(during);
  during.write("a");
  await turn();
  destroy(during);
  await turn();
  expect(told).toEqual(["data a", expected]);

  const before = new ContainedReadable() as unknown as PassThrough;
  destroy(before);
  await turn();
  const late = reading(before);
  await turn();
  expect(late.told).toEqual([expected]);
});

test("errors that are emitted twice, or after the end, are told once and end nothing", async () => {
  const source = new PassThrough();
  const { told } = reading(source);
  source.emit("error", new Error("first"));
  source.emit("error", new Error("second"));
  source.end();
  await turn();
  source.emit("error", new Error("third"));
  expect(told).toEqual(["failed: first"]);
});

test("what the taker throws fails the reading", async () => {
  const { told } = reading(Readable.from(["a", "b"]), () => {
    throw new Error("no room");
  });
  await turn();
  expect(told).toEqual(["data a", "failed: no room"]);
});

test("an end that throws is told as a failure", async () => {
  const failed = Promise.withResolvers<Error>();
  new StreamReading(Readable.from([]), {
    data: () => true,
    end() {
      throw new Error("too short");
    },
    failed: failed.resolve,
  });
  expect((await failed.promise).message).toBe("too short");
});

test("it waits when told so, and stops for good", async () => {
  const source = Readable.from(["a", "b", "c"]);
  const { read, told } = reading(source, () => false);
  await turn();
  expect(told).toEqual(["data a"]);
  read.resume();
  await turn();
  expect(told).toEqual(["data a", "data b"]);
  read.stop();
  read.resume();
  source.destroy(new Error("nobody cares"));
  await turn();
  expect(told).toEqual(["data a", "data b"]);
  expect((source as EventEmitter).listenerCount("error")).toBe(1);
});
