import { readFileSync } from "node:fs";
import type { Logger } from "lifecycle";
import { type ClientTls, openClientTls, StartError } from "lifecycle";
import type {
  LatencyQuery,
  MetricSeries,
  MetricsQuery,
  RankedRates,
  RankedRatesQuery,
  ReadOptions,
} from "storage/api";
import { Agent, type Dispatcher, request } from "undici";
import { z } from "zod";
import { QueryError } from "../query-error.ts";
import type { RedMetrics } from "../service/red-metrics.ts";
import { PromQl } from "./prom-ql.ts";
import type { PrometheusOptions } from "./prometheus-options.ts";
import { prometheusRankedRates } from "./prometheus-ranked-rates.ts";

/** Longest answer of the Prometheus server. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** A longer query is cancelled. */
const queryTimeoutMs = 60_000;

const answerSchema = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("success"),
    warnings: z.array(z.string()).optional(),
    data: z.object({
      resultType: z.string(),
      result: z.array(
        z.object({
          metric: z.record(z.string(), z.string()),
          values: z.array(z.tuple([z.number(), z.string()])),
        }),
      ),
    }),
  }),
  z.object({ status: z.literal("error"), errorType: z.string(), error: z.string() }),
]);

/** Rates, errors and durations, read from a Prometheus server. */
export class PrometheusMetrics implements RedMetrics {
  readonly #options: PrometheusOptions;
  readonly #promQl: PromQl;
  readonly #url: URL;
  readonly #token: string | undefined;
  readonly #tls: ClientTls | undefined;
  readonly #log: Logger;
  #agent: Agent;

  /**
   * @throws StartError for a token or TLS file that cannot be read. Also for tenants without a tenant label,
   *   because each would see the metrics of all.
   */
  constructor(options: PrometheusOptions & { readonly "multi-tenancy.enabled"?: boolean }, log: Logger) {
    if (options["multi-tenancy.enabled"] === true && options["prometheus.query.tenant-label"] === "") {
      throw new StartError(
        "--multi-tenancy.enabled with metrics of Prometheus needs --prometheus.query.tenant-label: without it each tenant would see the metrics of all",
      );
    }
    this.#options = options;
    this.#promQl = new PromQl(options);
    this.#log = log;
    const base = options["prometheus.server-url"];
    this.#url = new URL("api/v1/query_range", base.endsWith("/") ? base : `${base}/`);
    this.#token = readToken(options["prometheus.token-file"]);
    this.#tls = openClientTls(options, "prometheus", log);
    this.#agent = this.#newAgent();
    this.#tls?.onChange(() => {
      const old = this.#agent;
      this.#agent = this.#newAgent();
      void old.close();
    });
  }

  getCallRates(query: MetricsQuery, options: ReadOptions = {}): Promise<MetricSeries[]> {
    return this.#run(this.#promQl.calls(query, options.tenant ?? ""), query, options);
  }

  getLatencies(query: LatencyQuery, options: ReadOptions = {}): Promise<MetricSeries[]> {
    return this.#run(this.#promQl.latencies(query, query.quantile, options.tenant ?? ""), query, options);
  }

  /** Prometheus has no error series for a name without errors; when it has calls, its error rate is 0. */
  async getErrorRates(query: MetricsQuery, options: ReadOptions = {}): Promise<MetricSeries[]> {
    const errors = await this.#run(
      this.#promQl.errors(query, options.tenant ?? ""),
      query,
      options,
      "failed getting error metrics: ",
    );
    if (errors.length > 0) {
      return errors;
    }
    const calls = await this.#run(
      this.#promQl.calls(query, options.tenant ?? ""),
      query,
      options,
      "failed getting call metrics: ",
    );
    return calls.map((series) => ({
      ...series,
      points: series.points.map(({ unixMs }) => ({ unixMs, value: 0 })),
    }));
  }

  getRankedRates(query: RankedRatesQuery, options: ReadOptions = {}): Promise<RankedRates> {
    return prometheusRankedRates(this, query, options);
  }

  async close(): Promise<void> {
    this.#tls?.close();
    await this.#agent.destroy();
  }

  #newAgent(): Agent {
    const material = this.#tls?.material;
    return new Agent({
      connect: {
        timeout: this.#options["prometheus.connect-timeout"],
        ...(material?.ca === undefined ? {} : { ca: material.ca }),
        ...(material?.cert === undefined ? {} : { cert: material.cert, key: material.key }),
        ...(material?.serverName === undefined ? {} : { servername: material.serverName }),
        ...(material?.skipHostVerify === true ? { rejectUnauthorized: false } : {}),
      },
    });
  }

  async #run(
    promQl: string,
    query: MetricsQuery,
    options: ReadOptions,
    prefix = "",
  ): Promise<MetricSeries[]> {
    if (query.services.length === 0) {
      return [];
    }
    const deadline = AbortSignal.timeout(queryTimeoutMs);
    const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
    try {
      return await this.#ask(promQl, query, options.bearerToken, signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      const reason = deadline.aborted
        ? `Prometheus did not answer within ${queryTimeoutMs} ms`
        : error instanceof Error
          ? error.message || String((error as NodeJS.ErrnoException).code)
          : String(error);
      throw new QueryError("QUERY_UPSTREAM", `${prefix}failed executing metrics query: ${reason}`, {
        cause: error,
      });
    }
  }

  async #ask(
    promQl: string,
    { startUnixMs, endUnixMs, stepMs, groupByOperation }: MetricsQuery,
    bearerToken: string | undefined,
    signal: AbortSignal,
  ): Promise<MetricSeries[]> {
    const token =
      (this.#options["prometheus.token-override-from-context"] ? bearerToken : undefined) ?? this.#token;
    const { statusCode, body } = await request(this.#url, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: new URLSearchParams({
        query: promQl,
        start: String(startUnixMs / 1_000),
        end: String(endUnixMs / 1_000),
        step: String(stepMs / 1_000),
      }).toString(),
      dispatcher: this.#agent,
      signal,
    });
    const text = await textOf(body);
    const answer = answerSchema.safeParse(jsonOf(text));
    if (!answer.success) {
      throw new Error(
        statusCode === 200
          ? `unexpected answer: ${answer.error.issues[0]?.message}`
          : statusCode >= 500
            ? `server_error: server error: ${statusCode}`
            : `client_error: client error: ${statusCode}`,
      );
    }
    if (answer.data.status === "error") {
      throw new Error(`${answer.data.errorType}: ${answer.data.error}`);
    }
    const { warnings, data } = answer.data;
    if (warnings !== undefined && warnings.length > 0) {
      this.#log.warn({ warnings, query: promQl }, "Prometheus warns of a query");
    }
    if (data.resultType !== "matrix") {
      throw new Error(`unexpected metrics ValueType: ${data.resultType}`);
    }
    return data.result.map(({ metric, values }) => ({
      service: metric.service_name ?? "",
      operation: groupByOperation ? (metric.span_name ?? "") : undefined,
      points: values.map(([seconds, value]) => ({
        unixMs: Math.round(seconds * 1_000),
        value: numberOf(value),
      })),
    }));
  }
}

function readToken(file: string): string | undefined {
  if (file === "") {
    return undefined;
  }
  try {
    return readFileSync(file, "utf8").replace(/[\r\n]+$/, "");
  } catch (error) {
    throw new StartError(
      `--prometheus.token-file: failed to get token from file: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

async function textOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxAnswerBytes) {
      throw new Error(`the answer is longer than the limit of ${maxAnswerBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString("utf8");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberOf(text: string): number {
  return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
}
