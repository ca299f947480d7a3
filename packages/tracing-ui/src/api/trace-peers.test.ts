import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { percentileText, tracePeersQuery } from "./trace-peers.ts";

test.each([
  [0, "p0"],
  [0.5, "p50"],
  [0.9789, "p97"],
  [0.99, "p99"],
  [0.9996, "p99.9"],
  [1, "max"],
])("%d reads %s", (percentile, text) => {
  expect(percentileText(percentile)).toBe(text);
});

test("a span with fewer than 20 peers has no percentile", async () => {
  const operation = (peers: number) => ({ peers, median: 10, p95: 20, p99: 30 });
  const body = {
    operations: [operation(19), operation(20)],
    spans: [
      ["a", 0, 0.9],
      ["b", 1, 0.9],
    ],
  };
  vi.stubGlobal("document", { baseURI: "http://a.example/" });
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(body)));
  try {
    const peers = await new QueryClient().fetchQuery(tracePeersQuery("1"));
    expect([...peers]).toEqual([["b", { percentile: 0.9, peers: 20, medianUs: 10, p95Us: 20, p99Us: 30 }]]);
  } finally {
    vi.unstubAllGlobals();
  }
});
