const intervalMs = 10_000;
/** Below this number of packets in an interval the agent is idle. A collection takes some ten milliseconds. */
const quietPackets = 1_000;
/**
 * The agent is overloaded when more than one of this many packets is lost in an interval. Then losses during a
 * collection make no difference.
 */
const overloadShare = 50;
/** Minimum garbage in bytes that is worth a collection. */
const leastGrowthBytes = 2_097_152;

export interface QuietCollectionsSettings {
  /** Number of packets since the start. */
  packets(): number;
  /** Packets lost since the start, in the system or because of a full queue. */
  lost(): number;
  /** Bytes that V8 uses, including its buffers. Default: reads this process. */
  usedBytes?(): number;
  /** Runs a collection. The default is V8's `gc`, which needs `--expose-gc`; the built agent sets this option. */
  collect?(): void;
}

/**
 * Collects garbage at once, to free memory that only the start needed. Collects again when there is garbage and
 * either no load, or so much load that packets are lost anyway. Without these calls V8 would wait until its memory has
 * doubled, and keep this memory after the load.
 * @returns a function that ends the collections
 */
export function startQuietCollections(settings: QuietCollectionsSettings): () => void {
  const { packets, lost, usedBytes = usedByV8, collect = collectAll } = settings;
  collect();
  let leastBytes = usedBytes();
  let packetsBefore = packets();
  let lostBefore = lost();
  const timer = setInterval(() => {
    const packetsNow = packets();
    const lostNow = lost();
    const taken = packetsNow - packetsBefore;
    const isFree = taken < quietPackets || (lostNow - lostBefore) * overloadShare > taken;
    if (isFree && usedBytes() - leastBytes > leastGrowthBytes) {
      collect();
      leastBytes = usedBytes();
    }
    packetsBefore = packetsNow;
    lostBefore = lostNow;
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

function usedByV8(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectAll(): void {
  void globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
