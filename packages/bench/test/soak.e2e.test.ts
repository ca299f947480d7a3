import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSoak } from "../src/soak/run-soak.ts";
import { startSoakSystem } from "../src/soak/soak-system.ts";
import { spanClock } from "../src/soak/span-clock.ts";
import { stopAll } from "../src/suite/system.ts";

test.runIf(process.platform === "linux")(
  "a few seconds of it: every process is looked at, every span found",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "soak-"));
    const clock = spanClock(Date.now() + 60_000, 50_000);
    const { signal } = new AbortController();
    try {
      const system = await startSoakSystem(folder, signal, {
        storageArgs: ["--storage.max-bytes", "1GiB"],
        clock,
      });
      try {
        const plan = { durationMs: 3_000, rate: 2_000, sampleMs: 300, searchPauseMs: 50, clock };
        const { samples, grpc, http, searches, agent, stored, derived } = await runSoak(
          ...([system, folder, plan, () => {}, signal] as const),
        );
        expect(grpc.spans.accepted).toBeGreaterThan(0);
        expect(http.spans.accepted).toBeGreaterThan(0);
        expect(agent.delivered + agent.dropped).toBe(agent.sent);
        expect(stored.expected).toBe(grpc.spans.accepted + http.spans.accepted + agent.delivered);
        expect(stored.found).toBeGreaterThanOrEqual(stored.expected);
        expect(derived).toEqual([]);
        expect(searches).toMatchObject({ failed: 0, failure: "" });
        expect(searches.asked).toBeGreaterThan(0);
        const last = samples.at(-1);
        expect(Object.keys(last?.processes ?? {}).sort()).toEqual([
          ...["admin-server", "tracing-agent", "tracing-collector", "tracing-query", "tracing-storage"],
        ]);
        for (const [name, { rssBytes, openFiles, cpuSeconds }] of Object.entries(last?.processes ?? {})) {
          expect(Math.min(rssBytes, openFiles, cpuSeconds), name).toBeGreaterThan(0);
        }
        expect(last?.storageBytes).toBeGreaterThan(0);
      } finally {
        await stopAll(system.processes);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
