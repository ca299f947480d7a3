const intervalMs = 10_000;
/** Fewer packets than this within the interval are no load: a collection takes some ten milliseconds. */
const quietPackets = 1_000;
/**
 * When at least one packet of this many is lost within the interval, losses during a collection make no
 * difference.
 */
const overloadShare = 50;
/** Less garbage than this is not worth it. */
const leastGrowthBytes = 2_097_152;

export interface QuietCollectionsSettings {
  /** Number of packets since the start. */
  packets(): number;
  /** Packets lost since the start, in the system or in front of a full queue. */
  lost(): number;
  /** Bytes that V8 uses, including its buffers; by default of this process. */
  usedBytes?(): number;
  /** The collection; by default V8's, which needs `--expose-gc`: the built agent runs with it. */
  collect?(): void;
}

/**
 * Collects garbage at once, to free the remains of starting. It collects again when there is garbage and
 * either no load, or so much load that packets are lost anyway. V8 alone would wait until its memory has
 * doubled, and keep it after the load.
 * @returns ends it
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
