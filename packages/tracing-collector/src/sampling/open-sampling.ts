import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Registry } from "@prometheus-io/client";
import { type Logger, openClientTls, StartError } from "lifecycle";
import type { SamplingStore, TraceStore } from "storage/api";
import { openStore } from "trace-store";
import type { CollectorOptions } from "../options/collector-options.ts";
import type { SamplingOptions } from "../options/sampling-options.ts";
import type { RowStep } from "../pipeline/row-step.ts";
import { AdaptiveSamplingProvider, type AdaptiveSettings } from "./adaptive/adaptive-sampling-provider.ts";
import { LeaderElection } from "./adaptive/leader-election.ts";
import { RootSpanStep } from "./adaptive/root-span-step.ts";
import { SamplingMetrics } from "./adaptive/sampling-metrics.ts";
import { ThroughputCounter } from "./adaptive/throughput-counter.ts";
import { openFileSamplingProvider } from "./file-sampling-provider.ts";
import type { SamplingProvider } from "./sampling-provider.ts";

/** Sampling as the options configure it. */
export interface OpenSampling {
  readonly provider: SamplingProvider;
  /** Steps that read arriving spans for the provider. They must run before steps that drop spans. */
  readonly steps: readonly RowStep[];
}

export interface SamplingContext {
  /** The store of the spans; sampling does not close it. */
  readonly store: TraceStore;
  readonly metrics: Registry;
  readonly log: Logger;
}

/**
 * Opens strategies from a file, or adaptive sampling.
 * @throws StartError when the strategies file is missing or faulty, or when adaptive sampling has no shared store
 */
export async function openSampling(
  options: CollectorOptions,
  { store, metrics, log }: SamplingContext,
): Promise<OpenSampling> {
  if (options["sampling.config-type"] === "file") {
    const fileOptions = {
      source: options["sampling.strategies-file"],
      tls: openClientTls(options, "sampling.strategies", log),
      reloadIntervalMs: options["sampling.strategies-reload-interval"],
      bugfix5270: options["sampling.strategies.bugfix-5270"],
    };
    return { provider: await openFileSamplingProvider(fileOptions, log), steps: [] };
  }
  const type = options["sampling.storage-type"];
  if (type === "auto" && options["span-storage.type"] === "grpc") {
    throw new StartError(
      "adaptive sampling needs a store that collectors share, which a remote storage cannot be: choose --sampling.storage-type=clickhouse",
    );
  }
  if (type === "auto" || type === options["span-storage.type"]) {
    return openAdaptive(options, store.sampling, metrics, log);
  }
  const own = openStore({ ...options, "span-storage.type": type }, log);
  const { provider, steps } = openAdaptive(options, own.sampling, metrics, log);
  return {
    provider: {
      strategyFor: (service) => provider.strategyFor(service),
      async close() {
        await provider.close();
        await own.close();
      },
    },
    steps,
  };
}

/** Starts the election and the calculation. The owner's name is unique, even for two collectors on one host. */
function openAdaptive(
  options: SamplingOptions,
  store: SamplingStore,
  registry: Registry,
  log: Logger,
): OpenSampling {
  const owner = `${hostname()}-${randomUUID()}`;
  const counter = new ThroughputCounter();
  const election = new LeaderElection({
    store,
    owner,
    leaderRefreshMs: options["sampling.leader-lease-refresh-interval"],
    followerRefreshMs: options["sampling.follower-lease-refresh-interval"],
    log,
  });
  const metrics = new SamplingMetrics(registry);
  const provider = new AdaptiveSamplingProvider(settingsOf(options), {
    store,
    owner,
    counter,
    election,
    metrics,
    log,
  });
  election.start();
  // The promise is not awaited, so spans are accepted while the provider loads data from the store.
  void provider.start();
  return { provider, steps: [new RootSpanStep(counter)] };
}

/** Times are in milliseconds, probabilities between 0 and 1. */
function settingsOf(options: SamplingOptions): AdaptiveSettings {
  return {
    targetSamplesPerSecond: options["sampling.target-samples-per-second"],
    deltaTolerance: options["sampling.delta-tolerance"],
    initialProbability: options["sampling.initial-sampling-probability"],
    minProbability: options["sampling.min-sampling-probability"],
    bucketsForCalculation: options["sampling.buckets-for-calculation"],
    aggregationBuckets: options["sampling.aggregation-buckets"],
    calculationIntervalMs: options["sampling.calculation-interval"],
    delayMs: options["sampling.delay"],
    minSamplesPerSecond: options["sampling.min-samples-per-second"],
  };
}
