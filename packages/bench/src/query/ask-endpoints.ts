import { Agent, type IncomingMessage, request } from "node:http";
import { Client, credentials } from "@grpc/grpc-js";
import { publicNameOf } from "wire/grpc";
import { type Latency, LatencyHistogram } from "../e2e/load/tally.ts";
import { type GrpcQuestion, grpcQuestions } from "./grpc-questions.ts";
import { type HttpQuestion, type HttpRequest, httpQuestions } from "./http-questions.ts";
import type { Samples } from "./samples.ts";

/** Results of one kind of request, sent one after another. */
export interface EndpointReport {
  readonly name: string;
  readonly requests: number;
  /** Milliseconds until the last byte of the answer; failed requests are not included. */
  readonly latencyMs: Latency;
  readonly failed: number;
  /** Text of the newest failure. */
  readonly failure?: string;
}

/** A query API, ours or the public model's. */
export interface AskedSystem {
  readonly url: string;
  /** Address for gRPC, `host:port`. */
  readonly grpcAddress: string;
  readonly isModel: boolean;
}

const timeoutMs = 120_000;
const maxMessageBytes = 64 * 1024 * 1024;
/**
 * Rounds of all questions before the measurement, because the first hundreds of calls of a service are slower than all
 * later ones.
 */
const warmUps = 20;

/** One kind of request. @throws Error when it fails */
interface Question {
  readonly name: string;
  readonly ask: (attempt: number) => Promise<void>;
}

/**
 * Sends every question this many times, one request after another, after a warm-up.
 * @param onReport called after each question
 */
export async function askEndpoints(
  system: AskedSystem,
  samples: Samples,
  times: number,
  signal: AbortSignal,
  onReport: (report: EndpointReport) => void,
): Promise<EndpointReport[]> {
  const agent = new Agent({ keepAlive: true });
  const client = grpcClient(system.grpcAddress);
  const reports: EndpointReport[] = [];
  const isAsked = ({ isModels }: HttpQuestion | GrpcQuestion) => isModels || !system.isModel;
  const questions: readonly Question[] = [
    ...httpQuestions.filter(isAsked).map(({ name, request: asked }) => ({
      name,
      ask: (attempt: number) => askHttp(system.url, asked(samples, attempt), agent),
    })),
    ...grpcQuestions.filter(isAsked).map((question) => ({
      name: question.name,
      ask: (attempt: number) => askGrpc(client, question, samples, attempt),
    })),
  ];
  try {
    for (let attempt = 0; attempt < warmUps && !signal.aborted; attempt++) {
      // A question that fails in this warm-up fails again below and is reported there.
      for (const { ask } of questions) {
        await ask(attempt).catch(() => {});
      }
    }
    for (const question of questions) {
      const report = await measured(question, times, signal);
      reports.push(report);
      onReport(report);
    }
  } finally {
    agent.destroy();
    client.close();
  }
  return reports;
}

/** @param address `host:port` */
export function grpcClient(address: string): Client {
  return new Client(address, credentials.createInsecure(), {
    "grpc.max_receive_message_length": maxMessageBytes,
  });
}

async function measured(
  { name, ask }: Question,
  times: number,
  signal: AbortSignal,
): Promise<EndpointReport> {
  const latency = new LatencyHistogram();
  let [requests, failed, failure] = [0, 0, ""];
  for (; requests < times && !signal.aborted; requests++) {
    const startedAt = performance.now();
    try {
      await ask(requests);
      latency.record(performance.now() - startedAt);
    } catch (error) {
      failed++;
      failure = error instanceof Error ? error.message : String(error);
    }
  }
  const latencyMs = latency.percentiles();
  return { name, requests, latencyMs, failed, ...(failed === 0 ? {} : { failure }) };
}

/** @throws Error for another status than 200 */
function askHttp(url: string, { path, body, accept, isEndless }: HttpRequest, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) => {
      let text = "";
      answer.on("data", (piece: Buffer) => {
        if (answer.statusCode !== 200 && text.length < 200) {
          text += piece.toString();
        }
        if (isEndless === true) {
          resolve();
          answer.destroy();
        }
      });
      answer.once("error", reject);
      answer.once("end", () => {
        if (answer.statusCode === 200) {
          resolve();
        } else {
          reject(new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 200)}`));
        }
      });
    };
    const headers = {
      ...(accept === undefined ? {} : { accept }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const method = body === undefined ? "GET" : "POST";
    const sent = request(`${url}${path}`, { agent, method, headers, timeout: timeoutMs }, onAnswer);
    sent.once("timeout", () => sent.destroy(new Error(`${path} did not answer in ${timeoutMs} ms`)));
    sent.once("error", reject).end(body);
  });
}

/** Waits until the last message. Messages are not decoded, because only the server is measured. */
export function askGrpc(
  client: Client,
  { path, isStream, message }: GrpcQuestion,
  samples: Samples,
  attempt: number,
): Promise<void> {
  const [, service = "", method = ""] = path.split("/");
  const publicPath = `/${publicNameOf(service) ?? service}/${method}`;
  const asIs = (bytes: Buffer) => bytes;
  const bytes = message(samples, attempt);
  const options = { deadline: Date.now() + timeoutMs };
  return new Promise((resolve, reject) => {
    if (isStream) {
      client
        .makeServerStreamRequest(publicPath, asIs, asIs, bytes, options)
        .on("data", () => {})
        .on("end", resolve)
        .on("error", reject);
    } else {
      client.makeUnaryRequest(publicPath, asIs, asIs, bytes, options, (error) => {
        if (error === null) {
          resolve();
        } else {
          reject(error);
        }
      });
    }
  });
}
