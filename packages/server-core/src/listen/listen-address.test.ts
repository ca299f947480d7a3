import { expect, test } from "vitest";
import { formatListenAddress, parseListenAddress } from "./listen-address.ts";

test.each([
  [":8080", [{ network: "tcp", host: "", port: 8080 }]],
  ["127.0.0.1:80", [{ network: "tcp", host: "127.0.0.1", port: 80 }]],
  ["tcp/a:80", [{ network: "tcp", host: "a", port: 80 }]],
  ["[::1]:80", [{ network: "tcp", host: "::1", port: 80 }]],
  ["a:80-82", [80, 81, 82].map((port) => ({ network: "tcp", host: "a", port }))],
  ["unix//run/s.sock", [{ network: "unix", path: "/run/s.sock", mode: 0o200 }]],
  ["unix//run/s.sock|0660", [{ network: "unix", path: "/run/s.sock", mode: 0o660 }]],
  ["fd/3", [{ network: "fd", fd: 3 }]],
])("reads %s", (text, expected) => {
  expect(parseListenAddress(text)).toEqual(expected);
});

test.each([
  ["", "missing port"],
  ["a", "missing port"],
  ["a:", "missing port"],
  [":65536", "not a port"],
  [":80-79", "end port"],
  [":80-", "not a port"],
  ["::1:80", "host:port"],
  ["http://a:80", "host:port"],
  ["udp/:80", "network 'udp' is not supported yet"],
  ["unix/rel.sock", "absolute path"],
  ["unix//s|9", "file mode"],
  ["fd/x", "file descriptor"],
])("refuses %j", (text, message) => {
  expect(() => parseListenAddress(text)).toThrow(message);
});

test("writes what it read", () => {
  for (const text of [":80", "a:80", "[::1]:80", "fd/3"]) {
    expect(parseListenAddress(text).map(formatListenAddress)).toEqual([text]);
  }
});
