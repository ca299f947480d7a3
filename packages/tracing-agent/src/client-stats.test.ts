import { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { ClientStats } from "./client-stats.ts";

test("sums up what clients lost, each batch once", async () => {
  const registry = new Registry();
  const stats = new ClientStats(registry);
  const take = (clientUuid: string, seqNo: bigint | undefined, lost: [bigint, bigint, bigint], atMs = 0) =>
    stats.take(
      {
        clientUuid,
        seqNo,
        fullQueueDroppedSpans: lost[0],
        tooLargeDroppedSpans: lost[1],
        failedToEmitSpans: lost[2],
      },
      atMs,
    );
  const values = async () =>
    (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));

  take("a", 100n, [50n, 50n, 50n], Date.now()); // The first totals; this client ran before.
  take("a", 101n, [51n, 52n, 53n], Date.now());
  take("a", 101n, [51n, 52n, 53n], Date.now()); // Twice.
  take("a", 99n, [40n, 40n, 40n], Date.now()); // Late.
  take("a", 105n, [60n, 52n, 53n], Date.now());
  take("b", 1n, [7n, 7n, 7n], Date.now());
  take("c", undefined, [9n, 9n, 9n], Date.now());
  expect(await values()).toEqual([
    "tracing_agent_client_stats_batches_received_total 6",
    "tracing_agent_client_stats_batches_sent_total 5",
    'tracing_agent_client_stats_spans_dropped_total{cause="full-queue"} 10',
    'tracing_agent_client_stats_spans_dropped_total{cause="too-large"} 2',
    'tracing_agent_client_stats_spans_dropped_total{cause="send-failure"} 3',
    "tracing_agent_client_stats_connected_clients 2",
  ]);
});

test("forgets clients that are silent, and has a limit", async () => {
  const registry = new Registry();
  const stats = new ClientStats(registry);
  const lost = { fullQueueDroppedSpans: 0n, tooLargeDroppedSpans: 0n, failedToEmitSpans: 0n };
  stats.take({ clientUuid: "old", seqNo: 1n, ...lost }, Date.now() - 3_700_000);
  expect(await registry.metrics()).toContain("connected_clients 0\n");
  for (let index = 0; index < 10_100; index++) {
    stats.take({ clientUuid: `client ${index}`, seqNo: 1n, ...lost }, Date.now());
  }
  expect(await registry.metrics()).toContain("connected_clients 10000\n");
});
