import { expect, test } from "vitest";
import { parseCollectorAddress } from "./collector-address.ts";

test.each([
  ["collector:14250", { host: "collector", port: 14_250, isName: true }],
  ["10.0.0.1:1", { host: "10.0.0.1", port: 1, isName: false }],
  ["[::1]:14250", { host: "::1", port: 14_250, isName: false }],
  ["dns:///collector.example.com:14250", { host: "collector.example.com", port: 14_250, isName: true }],
  ["dns:collector:14250", { host: "collector", port: 14_250, isName: true }],
])("reads %s", (text, expected) => {
  expect(parseCollectorAddress(text)).toEqual({ text, ...expected });
});

test.each([
  "collector",
  ":14250",
  "collector:0",
  "collector:65536",
  "::1:14250",
  "[collector]:1",
  "http://a:1",
  "a:1/b",
])("refuses %s", (text) => {
  expect(() => parseCollectorAddress(text)).toThrow(
    `option --reporter.grpc.host-port: "${text}" is not host:port`,
  );
});
