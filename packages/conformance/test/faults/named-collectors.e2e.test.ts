// Two collectors with one name, which clients look up: the agent, and OpenTelemetry's SDK over gRPC.

import { fileURLToPath } from "node:url";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { freeAddresses } from "lifecycle/testing";
import { expect, test, vi } from "vitest";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { AgentSender } from "../chaos/agent-sender.ts";
import { anotherCollector } from "./another-collector.ts";
import { metricOf, openFaultProcesses } from "./fault-processes.ts";
import { receives } from "./received-spans.ts";
import { SdkSender } from "./sdk-sender.ts";
import { SpanLedger } from "./span-ledger.ts";
import "./looked-up-names.ts";

const withinMs = 60_000;
const name = "collectors.test";
const namesModule = fileURLToPath(new URL("./looked-up-names.ts", import.meta.url));
const portOf = (address: string) => address.split(":")[1] ?? "";
const ofAgent = { labels: 'svc="fault-test-agent"' };
const ofSdk = { labels: 'svc="sdk-grpc"' };

async function agentOf(collectors: string): Promise<{ agent: TestedProcess; port: number }> {
  const [compact = "", binary = "", zipkin = "", http = "", admin = ""] = await freeAddresses(5);
  const agent = new TestedProcess(
    "tracing-agent",
    "tracing-agent/bin/tracing-agent.ts",
    [
      ...["--processor.tracing-compact.server-host-port", compact],
      ...["--processor.tracing-binary.server-host-port", binary],
      ...["--processor.zipkin-compact.server-host-port", zipkin],
      ...["--http-server.host-port", http, "--admin.http.host-port", admin],
      ...["--reporter.grpc.host-port", collectors],
    ],
    `http://${admin}/`,
    { NODE_OPTIONS: `--require=${namesModule}` },
  );
  return { agent, port: Number(portOf(compact)) };
}

test("collectors of one name: the agent and OpenTelemetry's client over gRPC go on when one is killed", async () => {
  vi.stubEnv("LOOKED_UP_NAME", `${name}=127.0.0.1,127.0.0.2`);
  const backend = await openFaultProcesses();
  const { collector: first } = backend;
  const { otlpGrpc, apiV2Grpc } = backend.addresses;
  const { process: second } = await anotherCollector(backend, {
    addresses: { otlpGrpc: `127.0.0.2:${portOf(otlpGrpc)}`, apiV2Grpc: `127.0.0.2:${portOf(apiV2Grpc)}` },
  });
  const { agent, port } = await agentOf(`dns:///${name}:${portOf(apiV2Grpc)}`);
  const ledger = new SpanLedger();
  const exporter = new OTLPTraceExporter({
    url: `http://${name}:${portOf(otlpGrpc)}`,
    timeoutMillis: withinMs,
  });
  const sdk = new SdkSender({ service: "sdk-grpc", exporter, ledger });
  let packets: AgentSender | undefined;
  try {
    await backend.storage.start();
    await Promise.all([first.start(), second.start()]);
    await agent.start();
    packets = await AgentSender.start(agent, port);
    await sdk.more(2, withinMs);
    // The agent uses each of its addresses in turn; the other client stays with the first address.
    await Promise.all([first, second].map((collector) => receives(collector, ofAgent, withinMs)));
    await receives(first, ofSdk, withinMs);

    await first.end("SIGKILL");
    await sdk.more(5, withinMs);
    await receives(second, ofSdk, withinMs);
    await packets.delivers(withinMs);

    await first.start();
    await receives(first, ofAgent, withinMs);
    await second.end("SIGKILL");
    await receives(first, { ...ofSdk, first: () => sdk.send() }, withinMs);
    await packets.delivers(withinMs);
    await packets.stop();

    await second.start();
    // Spans that both had acknowledged before the kill were in their journals.
    for (const collector of [first, second]) {
      await eventually(
        async () => expect(await metricOf(collector, "tracing_collector_queue_length")).toBe(0),
        withinMs,
      );
    }
    expect(await ledger.compare(backend.storageUrl)).toMatchObject({
      missing: 0,
      duplicates: 0,
      problems: [],
    });
    expect(await packets.account(backend.storageUrl)).toMatchObject({ problems: [], dropped: 0 });
  } finally {
    await packets?.stop();
    await sdk.close();
    await agent.end("SIGKILL");
    await second.end("SIGKILL");
    await backend.close();
    vi.unstubAllEnvs();
  }
}, 300_000);
