import { expect, test } from "vitest";
import { HeadScanner } from "./head-scanner.ts";

const limit = 200;
const bytesOf = (text: string) => Buffer.from(text, "latin1");
const get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

test("finds a head when its last byte is there, and says how many bytes it used", () => {
  const scanner = new HeadScanner();
  for (let length = 1; length < get.length; length++) {
    expect(scanner.scan(bytesOf(get.slice(0, length)), limit)).toBeUndefined();
    expect(scanner.isUnderWay).toBe(true);
  }
  expect(scanner.isFirst).toBe(true);
  expect(scanner.scan(bytesOf(`${get}GET /b`), limit)).toMatchObject({ method: "GET", target: "/a" });
  expect(scanner).toMatchObject({ used: get.length, isUnderWay: false, isFirst: false });
});

test("reads the same head again, until it is told to forget", () => {
  const scanner = new HeadScanner();
  const first = scanner.scan(bytesOf(get), limit);
  expect(scanner.scan(bytesOf(get), limit)).toBe(first);
  expect(scanner.used).toBe(get.length);
  scanner.rest();
  const later = scanner.scan(bytesOf(get), limit);
  expect(later).toEqual(first);
  expect(later).not.toBe(first);
});

test("passes over one empty line, which is no head under way", () => {
  const scanner = new HeadScanner();
  expect(scanner.scan(bytesOf("\r\n"), limit)).toBeUndefined();
  expect(scanner.isUnderWay).toBe(false);
  expect(scanner.scan(bytesOf("\r\nG"), limit)).toBeUndefined();
  expect(scanner.isUnderWay).toBe(true);
  expect(scanner.scan(bytesOf(`\r\n${get}`), limit)).toMatchObject({ target: "/a" });
  expect(scanner.used).toBe(get.length + 2);
});

test("tells of HTTP/2 where a connection begins with its preface, and only there", () => {
  const preface = bytesOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const scanner = new HeadScanner();
  expect(scanner.scan(preface, limit)).toBe("preface");
  scanner.scan(bytesOf(get), limit);
  expect(() => scanner.scan(preface, limit)).toThrow("HTTP/2.0");
});

test("refuses what will never be a head before its end is there", () => {
  expect(() => new HeadScanner().scan(bytesOf("GET / HTTP/1.1\n"), limit)).toThrow("without CR");
  expect(() => new HeadScanner().scan(bytesOf("\x16\x03\x01"), limit)).toThrow("not HTTP");
  const long = `GET /${"a".repeat(limit)}`;
  expect(() => new HeadScanner().scan(bytesOf(long), limit)).toThrow("over the limit");
  expect(() => new HeadScanner().scan(bytesOf(`${long} HTTP/1.1\r\n\r\n`), limit)).toThrow("over the limit");
});
