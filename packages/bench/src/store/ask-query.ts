import { Agent, get, type IncomingMessage } from "node:http";
import { processUsage } from "../e2e/measure/process-usage.ts";
import { askGrpc, grpcClient } from "../query/ask-endpoints.ts";
import { grpcQuestions } from "../query/grpc-questions.ts";
import { largeTrace } from "./fill-store.ts";

/** Results of one kind of request to the query service, concurrent or one after the other. */
export interface QueryReport {
  readonly name: string;
  readonly requests: number;
  readonly failed: number;
  /** Milliseconds until the first and the last byte of the body; medians. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly lastP95Ms: number;
  /** Processor time of the query process for one request. */
  readonly cpuMs: number;
  /** Highest resident memory of the query process since its start. */
  readonly rssPeakBytes: number;
}

interface Answer {
  readonly ok: boolean;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The end of the newest hour, and the start of the newest span in the large trace. */
export interface FilledTimes {
  readonly endUnixMs: number;
  readonly largeTraceUnixMs: number;
}

/**
 * Sends questions to the query service's HTTP API, and FindTraces over gRPC.
 * @param query the query process; `grpcAddress` is `host:port`
 */
export async function askQuery(
  { url, pid, grpcAddress }: { readonly url: string; readonly pid: number; readonly grpcAddress: string },
  { endUnixMs, largeTraceUnixMs }: FilledTimes,
  times: number,
): Promise<QueryReport[]> {
  const client = grpcClient(grpcAddress);
  const agent = new Agent({ keepAlive: true });
  const end = endUnixMs * 1_000;
  const range = { start: String(end - 3_600_000_000), end: String(end) };
  const search = `/api/traces?${new URLSearchParams({ service: "frontend", limit: "20", ...range })}`;
  const large = `/api/traces/${largeTrace.traceId}`;
  const reports: QueryReport[] = [];
  const measure = async (
    name: string,
    requests: number,
    atOnce: number,
    path: string,
    one = () => ask(`${url}${path}`, agent),
  ) => {
    const before = processUsage(pid).cpuSeconds;
    const answers: Answer[] = [];
    let left = requests;
    const inTurn = async () => {
      while (left-- > 0) {
        answers.push(await one());
      }
    };
    await Promise.all(Array.from({ length: atOnce }, inTurn));
    const { cpuSeconds, rssPeakBytes } = processUsage(pid);
    const at = (key: "firstMs" | "lastMs", share: number) =>
      answers.map((answer) => answer[key]).sort((one, other) => one - other)[Math.floor(requests * share)] ??
      0;
    reports.push({
      ...{ name, requests, failed: answers.filter(({ ok }) => !ok).length },
      ...{ firstMs: at("firstMs", 0.5), lastMs: at("lastMs", 0.5), lastP95Ms: at("lastMs", 0.95) },
      ...{ cpuMs: ((cpuSeconds - before) * 1_000) / requests, rssPeakBytes },
    });
  };
  try {
    await measure("services", times, 1, "/api/services");
    await measure("operations", times, 1, "/api/operations?service=frontend");
    await measure("newest 20 of a service, hour", times, 1, search);
    await measure("dependencies, day", times, 1, `/api/dependencies?endTs=${endUnixMs}&lookback=86400000`);
    await measure("200 searches at once", 200, 200, search);
    await measure("trace of 50,000 spans", 5, 1, large);
    await measure("10 of 50,000 spans at once", 10, 10, large);
    const find = (unixMs: number) => () => findTraces(client, unixMs);
    await measure("gRPC: newest 20 of a service", times, 1, "", find(endUnixMs));
    await measure("gRPC: 20 with one of 50,000 spans", 5, 1, "", find(largeTraceUnixMs));
    await measure("gRPC: 10 of these at once", 10, 10, "", find(largeTraceUnixMs));
  } finally {
    agent.destroy();
    client.close();
  }
  return reports;
}

/**
 * Requests the newest 20 traces of a service within the hour that ends at `endUnixMs`. The time of the first message is
 * not measured.
 */
async function findTraces(client: ReturnType<typeof grpcClient>, endUnixMs: number): Promise<Answer> {
  const question = grpcQuestions.find(({ name }) => name === "gRPC: search, hour");
  if (question === undefined) {
    throw new Error("there is no question for FindTraces");
  }
  const startedAt = performance.now();
  const samples = { endUnixMs, traceIds: [], requestIds: [] };
  const ok = await askGrpc(client, question, samples, 0).then(
    () => true,
    () => false,
  );
  const lastMs = performance.now() - startedAt;
  return { ok, firstMs: lastMs, lastMs };
}

function ask(url: string, agent: Agent): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let firstMs = 0;
    const end = (ok: boolean) => resolve({ ok, firstMs, lastMs: performance.now() - startedAt });
    const onAnswer = (answer: IncomingMessage) => {
      answer.on("data", () => {
        if (firstMs === 0) {
          firstMs = performance.now() - startedAt;
        }
      });
      answer.once("end", () => end(answer.statusCode === 200));
      answer.once("error", () => end(false));
    };
    get(url, { agent }, onAnswer).once("error", () => end(false));
  });
}
