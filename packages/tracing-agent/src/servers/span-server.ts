import type { ServerCounts } from "../agent-metrics.ts";
import { PacketProcessor, type PacketProcessorSettings } from "./packet-processor.ts";
import { openUdpServer, type UdpServerSettings } from "./udp-server.ts";

export type SpanServerSettings = PacketProcessorSettings & Omit<UdpServerSettings, "onPacket" | "onError">;

/** One UDP port for spans, with its queue, its workers and its counts for the metrics. */
export interface SpanServer extends ServerCounts {
  /** The port in use. For port 0 this is the port that the system chose. */
  readonly port: number;
  /** Accepts no more packets. Queued packets are still sent. */
  close(): Promise<void>;
  /** Resolves when no packet waits and no call runs. */
  drained(): Promise<void>;
}

/** @throws StartError when the server cannot listen on the address */
export async function openSpanServer(settings: SpanServerSettings): Promise<SpanServer> {
  const processor = new PacketProcessor(settings);
  let readErrors = 0;
  const udp = await openUdpServer({
    ...settings,
    onPacket: (packet) => processor.accept(packet),
    onError: () => readErrors++,
  });
  // The system no longer reports the drops of a closed socket.
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
