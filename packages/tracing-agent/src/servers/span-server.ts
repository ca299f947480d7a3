import type { ServerCounts } from "../agent-metrics.ts";
import { PacketProcessor, type PacketProcessorSettings } from "./packet-processor.ts";
import { openUdpServer, type UdpServerSettings } from "./udp-server.ts";

export type SpanServerSettings = PacketProcessorSettings & Omit<UdpServerSettings, "onPacket" | "onError">;

/** One UDP port for spans, with its queue and its workers; its counts are for the metrics. */
export interface SpanServer extends ServerCounts {
  /** The port in use, also for port 0. */
  readonly port: number;
  /** Accepts no more packets; waiting ones are still sent. */
  close(): Promise<void>;
  /** Resolves when no packet waits and no call runs. */
  drained(): Promise<void>;
}

/** @throws StartError when the address cannot be had */
export async function openSpanServer(settings: SpanServerSettings): Promise<SpanServer> {
  const processor = new PacketProcessor(settings);
  let readErrors = 0;
  const udp = await openUdpServer({
    ...settings,
    onPacket: (packet) => processor.accept(packet),
    onError: () => readErrors++,
  });
  // The system forgets the drops of a socket that is closed.
  let lastDrops: number | undefined;
  return {
    port: udp.port,
    model: settings.model,
    protocol: settings.protocol,
    get processed() {
      return processor.processed;
    },
    get queueFull() {
      return processor.queueFull;
    },
    get tooLarge() {
      return processor.tooLarge;
    },
    get waiting() {
      return processor.waiting;
    },
    get readErrors() {
      return readErrors;
    },
    get kernelDrops() {
      lastDrops = udp.kernelDrops ?? lastDrops;
      return lastDrops;
    },
    close: () => udp.close(),
    drained: () => processor.drained(),
  };
}
