import { createSocket } from "node:dgram";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";
import type { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { SpanLedger } from "../faults/span-ledger.ts";

/** The fate of spans that were sent to the agent. */
export interface AgentAccount {
  readonly sent: number;
  /** The agent's own counts; undefined when the agent was killed meanwhile, because it lost them. */
  readonly delivered: number | undefined;
  readonly dropped: number | undefined;
  readonly found: number;
  readonly twice: number;
  /** Facts that are not errors, but must be reported. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

const pauseMs = 50;
const settleWithinMs = 90_000;
const lostMetrics = [
  "tracing_agent_reporter_spans_failures_total",
  "tracing_agent_thrift_udp_server_packets_dropped_total",
  "tracing_agent_thrift_udp_t_processor_handler_errors_total",
];
const retriedMetric = "tracing_agent_reporter_retries_total";
const deliveredMetric = "tracing_agent_reporter_spans_submitted_total";

/**
 * Sends packets of one span to the agent at an even rate. UDP has no acknowledgements, so the agent must count every
 * packet as delivered or dropped.
 */
export class AgentSender {
  readonly #agent: TestedProcess;
  readonly #port: number;
  readonly #ledger = new SpanLedger();
  readonly #stop = new AbortController();
  readonly #pid: number;
  readonly #before: AgentCounts;
  readonly #sending: Promise<void>;
  #sent = 0;

  private constructor(agent: TestedProcess, port: number, before: AgentCounts) {
    this.#agent = agent;
    this.#port = port;
    this.#pid = agent.pid;
    this.#before = before;
    this.#sending = this.#send();
  }

  /** @param agent a running agent */
  static async start(agent: TestedProcess, port: number): Promise<AgentSender> {
    return new AgentSender(agent, port, await countsOf(agent));
  }

  /** Resolves when the agent has delivered more spans. @throws Error when it does not */
  async delivers(withinMs: number): Promise<void> {
    let before: number | undefined;
    await eventually(async () => {
      const { delivered } = await countsOf(this.#agent);
      before ??= delivered;
      if (delivered <= before) {
        throw new Error("the agent delivers nothing");
      }
    }, withinMs);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  /** Waits until the agent has counted all sent packets; must be called after `stop`. */
  async account(storageUrl: string): Promise<AgentAccount> {
    const sent = this.#sent;
    const problems: string[] = [];
    const hasCounts = this.#agent.pid === this.#pid;
    let [delivered, dropped, retried] = [0, 0, 0];
    if (hasCounts) {
      await eventually(async () => {
        const now = await countsOf(this.#agent);
        delivered = now.delivered - this.#before.delivered;
        dropped = now.dropped - this.#before.dropped;
        retried = now.retried - this.#before.retried;
        if (delivered + dropped !== sent) {
          throw new Error("the agent has not told of all");
        }
      }, settleWithinMs).catch(() => {
        problems.push(
          `agent: ${sent} spans sent, ${delivered} delivered and ${dropped} dropped by its own counts`,
        );
      });
    }
    const compare = () => this.#ledger.compare(storageUrl);
    const { cutButFound: found, duplicates: twice } = await eventually(async () => {
      const report = await compare();
      if (hasCounts && report.cutButFound < delivered) {
        throw new Error("some are not stored yet");
      }
      return report;
    }, 10_000).catch(compare);
    if (hasCounts && found < delivered) {
      problems.push(`agent: ${delivered} spans delivered, ${found} stored`);
    }
    // A collector was killed after it stored spans and before its answer. The agent cannot know this, and sends the
    // spans again, like every client. Readers of a trace show equal spans only once.
    const notes: string[] = [];
    const mayHaveSentAgain = retried > 0 || !hasCounts;
    if (twice > 0 && mayHaveSentAgain) {
      notes.push(`agent: ${twice} spans twice, sent again for want of an answer`);
    } else if (twice > 0) {
      problems.push(`agent: ${twice} spans twice`);
    }
    const own = hasCounts ? { delivered, dropped } : { delivered: undefined, dropped: undefined };
    return { sent, ...own, found, twice, notes, problems };
  }

  async #send(): Promise<void> {
    const socket = createSocket("udp4");
    // While no agent listens, the system may refuse packets: they are lost, like other UDP packets.
    socket.on("error", () => {});
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const packet = this.#packet();
      await new Promise<void>((resolve) => socket.send(packet, this.#port, "127.0.0.1", () => resolve()));
      this.#sent++;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  #packet(): Buffer {
    const { batch } = this.#ledger.open("agent", 1);
    const i64 = (bytes: Buffer, at = 0) => ({ high: bytes.readInt32BE(at), low: bytes.readInt32BE(at + 4) });
    const startUs = Buffer.alloc(8);
    startUs.writeBigInt64BE(BigInt(Date.now()) * 1_000n);
    const spans = batch.spanIds.map((spanId) => ({
      traceIdLow: i64(batch.traceId, 8),
      traceIdHigh: i64(batch.traceId),
      spanId: i64(spanId),
      parentSpanId: { high: 0, low: 0 },
      operationName: "work",
      flags: 1,
      startTime: i64(startUs),
      duration: { high: 0, low: 1_500 },
      tags: [],
    }));
    return encodeAgentPacket({ process: { serviceName: "fault-test-agent", tags: [] }, spans }, "compact");
  }
}

interface AgentCounts {
  readonly delivered: number;
  readonly dropped: number;
  /** Number of repeated calls. */
  readonly retried: number;
}

async function countsOf(agent: TestedProcess): Promise<AgentCounts> {
  const { text } = await ask(agent.metricsUrl);
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    delivered: sum(deliveredMetric),
    retried: sum(retriedMetric),
    dropped: lostMetrics.reduce((total, name) => total + sum(name), 0),
  };
}
