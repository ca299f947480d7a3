import { bytes, duration } from "lifecycle";
import { z } from "zod";

/**
 * Options of the journal, which holds spans from their acknowledgement until the store has them. Jaeger has no journal:
 * its queue is in memory. The options of that queue, `collector.queue-size` and `collector.queue-size-memory`, are in
 * `pipelineOptions`.
 */
export const journalOptions = z.object({
  "collector.journal.mode": z
    .enum(["disk", "memory"])
    .default("disk")
    .describe("Where acknowledged spans wait for storage; in memory, a crash loses them."),
  // Two processes cannot use it without `shared`: a lock refuses the second process.
  "collector.journal.dir": z
    .string()
    .default("./data/collector")
    .describe("Folder for spans that are acknowledged and not yet in storage; one collector each.")
    .meta({ placeholder: "path" }),
  "collector.journal.shared": z
    .boolean()
    .default(false)
    .describe(
      "Several collectors of one machine share the folder: each has a journal of its own in it, and saves what a collector " +
        "that is gone has left.",
    ),
  // When the machine crashes, `interval` loses up to a second of acknowledged spans. `off` loses everything that the
  // system has not written.
  "collector.journal.sync": z
    .enum(["always", "interval", "off"])
    .default("always")
    .describe("When acknowledged spans are synced to disk: before the answer, every second, or never."),
  // If it is too small, senders are refused during a short outage of the store. An hour at 1 MB/s needs 3.6 GB.
  "collector.journal.max-bytes": bytes("1GiB").describe(
    "Most bytes in the journal, of disk, or of memory and then at most half of what the process may have; senders are " +
      "asked to try later when it is full.",
  ),
  // 720h are thirty days: enough time to notice the alert, and to correct the cause of a refusal.
  "collector.journal.quarantine-retention": duration("720h").describe(
    "Files in the journal's quarantine that are older are dropped: segments that storage refused, and copies of damaged ones; 0 keeps all.",
  ),
  "collector.journal.quarantine-max-bytes": bytes("256MiB").describe(
    "Most bytes of copies of damaged segments in the journal's quarantine; the oldest are dropped first.",
  ),
});
