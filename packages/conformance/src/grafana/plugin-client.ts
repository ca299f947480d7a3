import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import protobuf from "protobufjs";
import { z } from "zod";
import { parseExactJson } from "../tracing-api/comparison/exact-json.ts";
import { grpcRequest } from "../tracing-api/comparison/grpc-request.ts";
import type { DataSourceType, PluginProcess } from "./plugin-process.ts";

const messages = new protobuf.Root().loadSync(fileURLToPath(new URL("plugin.proto", import.meta.url)));

/** A data source with the settings from Grafana. */
export interface DataSourceSettings {
  readonly type: DataSourceType;
  readonly name: string;
  readonly uid: string;
  readonly url: string;
  /** Settings that the data source's page in Grafana adds, such as `streamingEnabled`. */
  readonly jsonData?: Readonly<Record<string, unknown>>;
  /** Names and values of headers, as under *HTTP headers* in these settings. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Times of a query in milliseconds since 1970; both are 0 when Grafana sends no times. */
export interface QueryRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Outcome of a query: data frames as Grafana's browser part receives them, or an error. */
export interface QueryAnswer {
  readonly status: number;
  readonly error?: string;
  readonly frames: readonly unknown[];
}

const healthAnswer = z.object({ status: z.string(), message: z.string().default("") });
const resourceAnswer = z.object({ code: z.number(), body: z.string().default("") });
const bytes = z.string().transform((text) => Buffer.from(text, "base64"));
const dataAnswer = z.object({
  responses: z.record(
    z.string(),
    z.object({ frames: z.array(bytes).default([]), error: z.string().optional(), status: z.number() }),
  ),
});
const packet = z.object({ data: bytes });
/** One frame with four columns: a result, counters, a state and an error. */
const streamedFrame = z.object({
  data: z.object({
    values: z.tuple([z.tuple([z.unknown()]), z.unknown(), z.tuple([z.string()]), z.tuple([z.string()])]),
  }),
});

/** Calls a data source's process for one data source, as Grafana's server does for its browser part. */
export class PluginClient {
  readonly #process: PluginProcess;
  readonly #settings: DataSourceSettings;
  readonly #toggles: readonly string[];

  /** @param toggles feature toggles of Grafana that are switched on */
  constructor(process: PluginProcess, settings: DataSourceSettings, toggles: readonly string[] = []) {
    this.#process = process;
    this.#settings = settings;
    this.#toggles = toggles;
  }

  /** Calls the same check as *Save & test* in Grafana. */
  async checkHealth(): Promise<z.infer<typeof healthAnswer>> {
    const [answer] = await this.#call(
      "Diagnostics/CheckHealth",
      "CheckHealthRequest",
      "CheckHealthResponse",
      {},
    );
    return healthAnswer.parse(answer);
  }

  /** Calls `/api/datasources/uid/…/resources/<path>`. @param path with its parameters */
  async callResource(path: string): Promise<{ status: number; body: string }> {
    const request = { path: path.split("?")[0], method: "GET", url: path };
    const [answer] = await this.#call(
      "Resource/CallResource",
      "CallResourceRequest",
      "CallResourceResponse",
      request,
    );
    const { code, body } = resourceAnswer.parse(answer);
    return { status: code, body: Buffer.from(body, "base64").toString() };
  }

  /** Sends one query, as `/api/ds/query` does. */
  async query(query: Readonly<Record<string, unknown>>, range: QueryRange): Promise<QueryAnswer> {
    const { type, uid } = this.#settings;
    const json = {
      ...query,
      refId: "A",
      datasource: { type, uid },
      intervalMs: 15_000,
      maxDataPoints: 1_000,
    };
    const request = {
      queries: [
        {
          refId: "A",
          ...{ maxDataPoints: 1_000, intervalMS: 15_000 },
          timeRange: { fromEpochMS: range.fromMs, toEpochMS: range.toMs },
          json: Buffer.from(JSON.stringify(json)),
          queryType: query.queryType ?? "",
        },
      ],
      format: "JSON",
    };
    const [answer] = await this.#call("Data/QueryData", "QueryDataRequest", "QueryDataResponse", request);
    const response = dataAnswer.parse(answer).responses.A;
    if (response === undefined) {
      throw new Error("the data source has no answer to query A");
    }
    const frames = response.frames.map((frame) => parseExactJson(frame.toString()));
    const error = response.error === undefined || response.error === "" ? {} : { error: response.error };
    return { status: response.status, ...error, frames };
  }

  /**
   * Runs a streamed query, as in Grafana Live, and reads all messages until its end.
   * @param channel `search` or `metrics`
   * @returns the last message with content, which the page then shows
   */
  async stream(
    channel: "search" | "metrics",
    query: Readonly<Record<string, unknown>>,
    { fromMs, toMs }: QueryRange,
  ): Promise<{ states: string[]; error?: string; result: unknown }> {
    const timeRange = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    const request = {
      path: `${channel}/1`,
      data: Buffer.from(JSON.stringify({ ...query, refId: "A", timeRange })),
    };
    const allowed = await this.#call(
      "Stream/SubscribeStream",
      "SubscribeStreamRequest",
      "SubscribeStreamResponse",
      request,
    );
    if ((allowed[0] as { status?: string })?.status !== "OK") {
      throw new Error("the stream is not allowed");
    }
    const packets = await this.#call("Stream/RunStream", "RunStreamRequest", "StreamPacket", request);
    const frames = packets.map((one) =>
      streamedFrame.parse(parseExactJson(packet.parse(one).data.toString())),
    );
    const states = frames.map(({ data }) => data.values[2][0]);
    const error = frames.map(({ data }) => data.values[3][0]).find((text) => text !== "");
    return { states, ...(error === undefined ? {} : { error }), result: frames.at(-1)?.data.values[0][0] };
  }

  #context(): object {
    const { type, name, uid, url, jsonData = {}, headers = {} } = this.#settings;
    const named = Object.entries(headers).map(([header], index) => [`httpHeaderName${index + 1}`, header]);
    const values = Object.values(headers).map((value, index) => [`httpHeaderValue${index + 1}`, value]);
    // The process caches data made from settings until the settings have a newer time.
    const lastUpdatedMS = crc32(JSON.stringify(this.#settings));
    return {
      ...{ orgId: 1, pluginId: type, userAgent: "Grafana/13.1.0 (linux; amd64)" },
      user: { login: "viewer", role: "Viewer" },
      dataSourceInstanceSettings: {
        ...{ name, uid, url, lastUpdatedMS },
        jsonData: Buffer.from(JSON.stringify({ ...jsonData, ...Object.fromEntries(named) })),
        decryptedSecureJsonData: Object.fromEntries(values),
      },
      grafanaConfig: { GF_INSTANCE_FEATURE_TOGGLES_ENABLE: this.#toggles.join(",") },
    };
  }

  /** @returns all messages of the answer @throws Error with the log of the process */
  async #call(method: string, requestType: string, answerType: string, request: object): Promise<unknown[]> {
    const type = messages.lookupType(`pluginv2.${requestType}`);
    const message = type.encode(type.fromObject({ pluginContext: this.#context(), ...request })).finish();
    const {
      code,
      details,
      messages: answers,
    } = await grpcRequest(this.#process.address, `/pluginv2.${method}`, message);
    if (code !== "OK") {
      throw new Error(`${method}: ${code} ${details}\n${this.#process.log().slice(-2_000)}`);
    }
    const answer = messages.lookupType(`pluginv2.${answerType}`);
    return answers.map((one) =>
      answer.toObject(answer.decode(one), { longs: String, enums: String, bytes: String, defaults: true }),
    );
  }
}
