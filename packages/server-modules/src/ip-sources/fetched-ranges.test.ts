import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FetchedRanges, type RangeList, rangesOfLines } from "./fetched-ranges.ts";
import { publishers } from "./published-sources.ts";

let folder: string;
let server: Server;
let answer: { status: number; text: string };
let asked: number;
let opened: FetchedRanges[];
const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ranges-"));
  asked = 0;
  opened = [];
  answer = { status: 200, text: "192.0.2.0/24 # a comment\n\n2001:db8::/32\r\n" };
  server = createServer((_, response) => {
    asked += 1;
    response.writeHead(answer.status).end(answer.text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const each of opened) {
    each.close();
  }
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

async function open(more: Partial<RangeList> = {}): Promise<FetchedRanges> {
  const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/list`];
  const list = { name: "test", urls, intervalMs: 3_600_000, isNeeded: false, parse: rangesOfLines, ...more };
  const ranges = await FetchedRanges.open(list, folder, log);
  opened.push(ranges);
  return ranges;
}

const copy = async () => join(folder, "ip-lists", (await readdir(join(folder, "ip-lists")))[0] ?? "");

test("a list that is fetched, and its copy, which another thread takes", async () => {
  const ranges = await open();
  expect(["192.0.2.7", "2001:db8::1", "198.51.100.1"].map((each) => ranges.contains(each))).toEqual([
    true,
    true,
    false,
  ]);
  expect(await readFile(await copy(), "utf8")).toBe("192.0.2.0/24\n2001:db8::/32\n");
  const other = await open();
  expect([other.contains("192.0.2.7"), asked]).toEqual([true, 1]);
});

test("it is fetched anew, and what cannot be read leaves the last one", async () => {
  const ranges = await open({ intervalMs: 20 });
  answer = { status: 200, text: "198.51.100.0/24\n" };
  await expect.poll(() => ranges.contains("198.51.100.1")).toBe(true);
  expect(ranges.contains("192.0.2.7")).toBe(false);
  for (const bad of ["", "<html>", "198.51.100.0/24\nx\n", "0.0.0.0/33", "x".repeat(2 ** 20 + 1)]) {
    answer = { status: 200, text: bad };
    const before = asked;
    await expect.poll(() => asked).toBeGreaterThan(before + 1);
    expect(ranges.contains("198.51.100.1"), bad.slice(0, 20)).toBe(true);
  }
});

describe("where the list cannot be fetched", () => {
  beforeEach(() => {
    answer = { status: 500, text: "" };
  });

  test("an old copy goes on", async () => {
    answer = { status: 200, text: "192.0.2.0/24" };
    (await open()).close();
    answer = { status: 500, text: "" };
    await utimes(await copy(), 1, 1);
    const ranges = await open({ isNeeded: true });
    expect(ranges.contains("192.0.2.7")).toBe(true);
    await expect.poll(() => asked).toBe(2);
    expect(ranges.contains("192.0.2.7")).toBe(true);
  });

  test("a damaged copy is none", async () => {
    answer = { status: 200, text: "192.0.2.0/24" };
    (await open()).close();
    answer = { status: 200, text: "198.51.100.0/24" };
    await writeFile(await copy(), "\0\0\0");
    const ranges = await open();
    expect([ranges.contains("198.51.100.1"), asked]).toEqual([true, 2]);
  });

  test("without a copy no address is one of it", async () => {
    expect((await open()).contains("192.0.2.7")).toBe(false);
  });

  test("a list that is needed refuses the config", async () => {
    await expect(open({ isNeeded: true })).rejects.toThrow(
      "test: the list cannot be fetched, and there is no copy of it",
    );
  });
});

test.each([
  [
    "cloudfront",
    '{"CLOUDFRONT_GLOBAL_IP_LIST":["120.52.22.96/27"],"CLOUDFRONT_REGIONAL_EDGE_IP_LIST":["13.113.196.64/26"]}',
    ["120.52.22.96/27", "13.113.196.64/26"],
  ],
  [
    "fastly",
    '{"addresses":["23.235.32.0/20"],"ipv6_addresses":["2a04:4e40::/32"]}',
    ["23.235.32.0/20", "2a04:4e40::/32"],
  ],
  ["cloudflare", "173.245.48.0/20\n103.21.244.0/22\n", ["173.245.48.0/20", "103.21.244.0/22"]],
] as const)("the list of %s", (name, text, ranges) => {
  expect(publishers[name].parse(text)).toEqual(ranges);
});

test.each(["{}", "[]", '{"addresses":"x"}'])("no list of fastly: %s", (text) => {
  expect(() => publishers.fastly.parse(text)).toThrow();
});
