const intervalMs = 10_000;
/** Below this number of packets in an interval, the agent counts as idle. A collection takes some ten milliseconds. */
const quietPackets = 1_000;
/**
 * If more than one of this many packets is lost in an interval, the agent counts as overloaded. Losses during a
 * collection then make no difference.
 */
const overloadShare = 50;
/** Minimum garbage in bytes that is worth a collection. */
const leastGrowthBytes = 2_097_152;

export interface QuietCollectionsSettings {
  /** Number of packets since the start. */
  packets(): number;
  /** Packets lost since the start, in the system or because of a full queue. */
  lost(): number;
  /** Returns the number of bytes that V8 uses, including its buffers. Default: the bytes of this process. */
  usedBytes?(): number;
  /** Runs a collection. Default: V8's `gc`, which needs `--expose-gc`; the built agent sets this option. */
  collect?(): void;
}

/**
 * Collects garbage immediately, to free memory that was needed only for the start. Collects again when there is
 * garbage, and when there is no load, or so much load that packets are lost anyway. Otherwise, V8 would wait until its
 * memory has doubled, and keep this memory after the load.
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
