import { expect, test } from "vitest";
import { Arguments, optionHelp, UsageError } from "./arguments.ts";

const specs = {
  rate: { value: "N", text: "spans a second", fallback: "0" },
  duration: { value: "TIME", text: "how long", fallback: "20s" },
  protocol: { value: "grpc|http", text: "which", fallback: "grpc" },
  pid: { value: "NAME=PID", text: "process", multiple: true },
  store: { value: "URL", text: "store" },
  gzip: { text: "compress" },
};
const read = (...args: string[]) => new Arguments(specs, args);

test("takes what is given, and otherwise the fallback", () => {
  const none = read();
  expect(none.integer("rate", 0, 10)).toBe(0);
  expect(none.durationMs("duration")).toBe(20_000);
  expect(none.list("pid")).toEqual([]);
  expect(none.text("store")).toBe("");
  expect([none.has("gzip"), none.has("store")]).toEqual([false, false]);

  const all = read(
    "--rate",
    "1_000_000",
    "--duration=1m30s",
    "--pid",
    "a=1",
    "--pid",
    "b=2",
    "--gzip",
    "--store",
    "x",
  );
  expect(all.integer("rate", 0, 1e9)).toBe(1_000_000);
  expect(all.durationMs("duration")).toBe(90_000);
  expect(all.list("pid")).toEqual(["a=1", "b=2"]);
  expect(all.choice("protocol", ["grpc", "http"])).toBe("grpc");
  expect([all.has("gzip"), all.has("store")]).toEqual([true, true]);
});

test.each<[string, () => unknown, string]>([
  ["an unknown option", () => read("--fast"), "--fast"],
  ["a stray word", () => read("fast"), "fast"],
  ["a missing value", () => read("--rate"), "--rate"],
  [
    "text for a number",
    () => read("--rate", "many").integer("rate", 0, 10),
    '--rate "many" is not a whole number from 0 to 10',
  ],
  ["a number too large", () => read("--rate", "11").integer("rate", 0, 10), '--rate "11"'],
  ["a fraction", () => read("--rate", "1.5").integer("rate", 0, 10), '--rate "1.5"'],
  ["an empty number", () => read("--rate", "").integer("rate", 0, 10), '--rate ""'],
  ["a bare duration", () => read("--duration", "20").durationMs("duration"), '--duration "20"'],
  ["no time at all", () => read("--duration", "0").durationMs("duration"), '--duration "0"'],
  [
    "an unknown choice",
    () => read("--protocol", "udp").choice("protocol", ["grpc"]),
    '--protocol "udp" is not one of grpc',
  ],
])("refuses %s", (_case, act, message) => {
  expect(act).toThrow(UsageError);
  expect(act).toThrow(message);
});

test("explains every option", () => {
  const lines = optionHelp(specs).trimEnd().split("\n");
  expect(lines).toHaveLength(Object.keys(specs).length);
  expect(lines[0]).toMatch(/^ {2}--rate N +spans a second \(default 0\)$/);
  expect(lines[3]).toMatch(/^ {2}--pid NAME=PID +process \(may be repeated\)$/);
});
