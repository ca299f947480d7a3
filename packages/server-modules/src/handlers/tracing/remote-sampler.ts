import { type Sampler, type SamplingResult, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import { samplerFor, strategySchema } from "./sampling-strategy.ts";

/** Maximum number of characters of a response. A larger response is refused, and the previous strategy stays in use. */
const maxAnswerBytes = 4 * 1024 * 1024;
/** Timeout of one request, in milliseconds. */
const timeoutMs = 5_000;

/** `OTEL_TRACES_SAMPLER_ARG` of the sampler `jaeger_remote`. */
export interface RemoteSamplerSettings {
  /** Base URL such as `http://localhost:5778`; `/sampling?service=…` is appended. */
  readonly endpoint: string;
  /** Milliseconds between requests for new strategies. */
  readonly pollingIntervalMs: number;
  /** Share of traces that is sampled before the first response. */
  readonly initialSamplingRate: number;
}

/**
 * Parses `endpoint=http://localhost:5778,pollingIntervalMs=5000,initialSamplingRate=0.25`. The values of this example
 * are also the defaults, except the rate, whose default is 0.001.
 * @throws ServerError MODULE_CONFIG
 * Source: OpenTelemetry specification, "Environment Variable Specification", General SDK Configuration
 */
export function parseRemoteSettings(text: string): RemoteSamplerSettings {
  const parts = new Map(
    text
      .split(",")
      .filter((part) => part.trim() !== "")
      .map((part) => {
        const cut = part.indexOf("=");
        return [part.slice(0, cut).trim(), part.slice(cut + 1).trim()] as const;
      }),
  );
  const given = parts.get("endpoint") ?? "http://localhost:5778";
  const endpoint = given.includes("://") ? given : `http://${given}`;
  const pollingIntervalMs = Number(parts.get("pollingIntervalMs") ?? 5_000);
  const initialSamplingRate = Number(parts.get("initialSamplingRate") ?? 0.001);
  const known = ["endpoint", "pollingIntervalMs", "initialSamplingRate"];
  const fits =
    URL.canParse(endpoint) &&
    [...parts.keys()].every((name) => known.includes(name)) &&
    pollingIntervalMs >= 100 &&
    initialSamplingRate >= 0 &&
    initialSamplingRate <= 1;
  if (!fits) {
    throw new ServerError(
      "MODULE_CONFIG",
      `environment variable OTEL_TRACES_SAMPLER_ARG: ${JSON.stringify(text)} is not endpoint=<url>,pollingIntervalMs=<100 or more>,initialSamplingRate=<0 to 1>`,
    );
  }
  return { endpoint: endpoint.replace(/\/(?:sampling)?$/, ""), pollingIntervalMs, initialSamplingRate };
}

/**
 * Samples with the strategy of the collector, which is requested periodically. While the collector is unreachable, the
 * last strategy stays in use.
 */
export class RemoteSampler implements Sampler {
  readonly #settings: RemoteSamplerSettings;
  readonly #service: string;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  /** Current sampler; replaced by each changed strategy. */
  #sampler: Sampler;
  /** Text of the last response, to detect changes. */
  #lastAnswer = "";
  #timer: NodeJS.Timeout | undefined;
  /** True after a failed request. Only the first of consecutive failures is logged. */
  #failing = false;

  constructor(settings: RemoteSamplerSettings, service: string, log: Logger) {
    this.#settings = settings;
    this.#service = service;
    this.#log = log;
    this.#sampler = new TraceIdRatioBasedSampler(settings.initialSamplingRate);
  }

  /** Fetches the strategy once, then in the background. Resolves after the first fetch, even if it failed. */
  async start(): Promise<void> {
    await this.#refresh();
    if (!this.#abort.signal.aborted) {
      this.#timer = setInterval(() => void this.#refresh(), this.#settings.pollingIntervalMs);
      this.#timer.unref();
    }
  }

  stop(): void {
    this.#abort.abort();
    clearInterval(this.#timer);
  }

  shouldSample(...span: Parameters<Sampler["shouldSample"]>): SamplingResult {
    return this.#sampler.shouldSample(...span);
  }

  toString(): string {
    return `RemoteSampler{${this.#settings.endpoint}, ${this.#sampler}}`;
  }

  /** Requests the strategy once. Never rejects. */
  async #refresh(): Promise<void> {
    try {
      const url = `${this.#settings.endpoint}/sampling?service=${encodeURIComponent(this.#service)}`;
      const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(timeoutMs)]);
      const response = await fetch(url, { signal });
      const text = await response.text();
      if (!response.ok || text.length > maxAnswerBytes) {
        throw new Error(`status ${response.status}, ${text.length} characters, limit ${maxAnswerBytes}`);
      }
      // An unchanged response keeps the counters of the rate limit.
      if (text !== this.#lastAnswer) {
        this.#sampler = samplerFor(strategySchema.parse(JSON.parse(text)));
        this.#lastAnswer = text;
      }
      this.#failing = false;
    } catch (error) {
      if (!this.#failing && !this.#abort.signal.aborted) {
        this.#log.warn(`tracing: no sampling strategy from ${this.#settings.endpoint}: ${messageOf(error)}`);
      }
      this.#failing = true;
    }
  }
}
