import { setTimeout as sleep } from "node:timers/promises";
import { Corpus } from "../corpus/corpus.ts";
import { HttpExporter } from "../e2e/exporters/http-exporter.ts";
import { waitForSpans } from "../e2e/measure/span-store.ts";
import { startPeerSystem } from "../suite/peer-system.ts";
import { type System, stopAll } from "../suite/system.ts";
import { millionPerHour } from "./fill-store.ts";

const batchSpans = 100;
/** Connections that send at the same time while a store is filled. */
const clients = 8;
/** Maximum number of spans that are sent ahead: the peer's queue holds 2,000 spans, and drops further ones. */
const maxAheadSpans = 1_500;
const lookMs = 50;
const hourMs = 3_600_000;
const storedStallMs = 30_000;

/** The public model with an hour of spans. */
export interface FilledPeer {
  readonly url: string;
  readonly grpcAddress: string;
  /** End of the filled hour, in milliseconds since 1970. */
  readonly endUnixMs: number;
  /** Spans that the store contained after it was filled. */
  readonly stored: number;
  stop(): Promise<void>;
}

/**
 * Starts Jaeger 1.62's all-in-one program with Badger on free ports, and sends a million spans that cover an hour.
 * @param folder an empty folder for all data
 */
export async function startFilledPeer(
  program: string,
  folder: string,
  signal: AbortSignal,
): Promise<FilledPeer> {
  const system = await startPeerSystem(program, folder, signal);
  try {
    const endUnixMs = Date.now();
    await send(system, endUnixMs, signal);
    const { stored } = await waitForSpans(system.store, 0, millionPerHour, storedStallMs);
    return {
      ...{ url: system.queryUrl ?? "", grpcAddress: system.queryGrpcAddress ?? "", endUnixMs, stored },
      stop: () => stopAll(system.processes),
    };
  } catch (error) {
    await stopAll(system.processes);
    throw error;
  }
}

/**
 * Sends each batch with its time within the hour, like `fillStore`. @throws Error for a batch that is refused
 * permanently
 */
async function send({ httpEndpoint, store }: System, endUnixMs: number, signal: AbortSignal): Promise<void> {
  const corpus = new Corpus(batchSpans, 1, 7);
  const exporter = new HttpExporter({
    ...{ endpoint: httpEndpoint, gzip: false, connections: clients, timeoutMs: 30_000 },
  });
  const batches = millionPerHour / batchSpans;
  let [sent, stored] = [0, 0];
  const client = async () => {
    while (sent < batches && !signal.aborted) {
      const batch = ++sent;
      while (batch * batchSpans - stored > maxAheadSpans && !signal.aborted) {
        await sleep(lookMs);
      }
      const request = corpus.next(Math.floor(endUnixMs - hourMs + (batch * hourMs) / batches));
      const answer = await exporter.export(request);
      if (answer.outcome !== "accepted") {
        throw new Error(`the peer did not take a batch: ${answer.reason}`);
      }
    }
  };
  const over = new AbortController();
  const look = async () => {
    while (!over.signal.aborted) {
      stored = await store.countSpans();
      await sleep(lookMs);
    }
  };
  const looked = look();
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    over.abort();
    await looked;
    await exporter.close();
  }
}
