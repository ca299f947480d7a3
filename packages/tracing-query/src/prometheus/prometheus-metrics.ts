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

/**
 * Maximum number of bytes of an answer of the Prometheus server: 64 MiB. A longer answer fails the request before it
 * fills the memory.
 */
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Milliseconds from sending a query to the end of its answer. A longer query is cancelled, and fails with
 * QUERY_UPSTREAM.
 */
const queryTimeoutMs = 60_000;

// Prometheus's answer to `/api/v1/query_range`:
//
// ```
// {"status":"success","data":{"resultType":"matrix","result":[
//   {"metric":{"service_name":"shop"},"values":[[1795227000,"1.5"]]}]}}
// {"status":"error","errorType":"bad_data","error":"parse error: x"}
// ```
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

/**
 * Rates, errors and durations, read from a Prometheus server. Jaeger has the same option.
 *
 * Every method throws QueryError QUERY_UPSTREAM when the server fails, and the signal's reason when the client
 * has disconnected.
 */
export class PrometheusMetrics implements RedMetrics {
  // Parsed options of the command line.
  readonly #options: PrometheusOptions;
  // Writes the queries.
  readonly #promQl: PromQl;
  // `/api/v1/query_range` below the server's URL.
  readonly #url: URL;
  // The token of --prometheus.token-file, read once; undefined without a file.
  readonly #token: string | undefined;
  // Certificates for the connection, which reload when their files change; undefined without TLS.
  readonly #tls: ClientTls | undefined;
  readonly #log: Logger;
  // Connections to the server. A new agent replaces this agent when certificates change.
  #agent: Agent;

  /**
   * @throws StartError for a token or TLS file that cannot be read. Also when tenancy is on without a tenant label,
   *   because each tenant would see the metrics of all tenants.
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
    // New requests use the new certificates. Running requests end on the old connections.
    this.#tls?.onChange(() => {
      const old = this.#agent;
      this.#agent = this.#newAgent();
      void old.close();
    });
  }

  /** Calls a second, by service or by operation. */
  getCallRates(query: MetricsQuery, options: ReadOptions = {}): Promise<MetricSeries[]> {
    return this.#run(this.#promQl.calls(query, options.tenant ?? ""), query, options);
  }

  /** A quantile of durations over time, in the unit of the histogram. */
  getLatencies(query: LatencyQuery, options: ReadOptions = {}): Promise<MetricSeries[]> {
    return this.#run(this.#promQl.latencies(query, query.quantile, options.tenant ?? ""), query, options);
  }

  /** If no name has errors, Prometheus has no error series. Then each name that has calls gets the error rate 0. */
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

  /** Ranked names with their curves. Sends several queries, because PromQL has no pages. */
  getRankedRates(query: RankedRatesQuery, options: ReadOptions = {}): Promise<RankedRates> {
    return prometheusRankedRates(this.#inMilliseconds(), query, options);
  }

  /** The series with latencies in milliseconds, whatever the unit of the histogram is. */
  #inMilliseconds(): Pick<RedMetrics, "getCallRates" | "getErrorRates" | "getLatencies"> {
    if (this.#options["prometheus.query.duration-unit"] === "ms") {
      return this;
    }
    return {
      getCallRates: (query, options) => this.getCallRates(query, options),
      getErrorRates: (query, options) => this.getErrorRates(query, options),
      getLatencies: async (query, options) =>
        (await this.getLatencies(query, options)).map((series) => ({
          ...series,
          points: series.points.map(({ unixMs, value }) => ({ unixMs, value: 1_000 * value })),
        })),
    };
  }

  /** Closes all connections. Running queries fail. */
  async close(): Promise<void> {
    this.#tls?.close();
    await this.#agent.destroy();
  }

  // Creates an agent with the current certificates.
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

  /**
   * Runs a query with a timeout, and converts each failure to QUERY_UPSTREAM. @param prefix text in front of
   * the message, as in Jaeger
   */
  async #run(
    promQl: string,
    query: MetricsQuery,
    options: ReadOptions,
    prefix = "",
  ): Promise<MetricSeries[]> {
    // A request without services has an empty answer; PromQL would select the metrics of all services.
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

  /** Sends one query. The form is in the body, so that a query with many names needs no long URL. */
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

/**
 * Reads the token, without the newline that editors leave at its end. @throws StartError with Jaeger's
 * text
 */
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

/** The text of the answer. @throws Error for an answer longer than `maxAnswerBytes` */
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

/** Undefined for a text that is not JSON, such as a proxy's error page. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A sample's value; Prometheus writes infinities as "+Inf" and "-Inf". */
function numberOf(text: string): number {
  return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
}
