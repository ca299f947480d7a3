import { expect, test } from "vitest";
import { readWrkOutput } from "./wrk.ts";

test("reads what wrk prints, and counts everything that failed", () => {
  const output = `Running 2s test @ http://127.0.0.1:1/
  2 threads and 64 connections
  1234 requests in 2.00s, 1.00MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 5
Requests/sec:    617.25
Transfer/sec:      0.50MB
`;
  expect(readWrkOutput(output)).toEqual({ requestsPerSecond: 617.25, requests: 1234, failed: 15 });
  expect(readWrkOutput("10 requests in 1s\nRequests/sec: 10.0").failed).toBe(0);
});
