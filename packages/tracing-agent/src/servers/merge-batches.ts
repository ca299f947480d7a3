import { type Batch, type KeyValue, Process } from "wire/api-v2";

/**
 * Makes one batch of all that come from the same process (same service name and tags), in the order of arrival, and
 * adds the agent's tags to each process. Clients send many small packets: a call for each would cost more than
 * the spans in it.
 */
export function mergeBatches(batches: readonly Batch[], agentTags: readonly KeyValue[]): Batch[] {
  const merged = new Map<string, Batch>();
  for (const { spans, process } of batches) {
    const key = process === undefined ? "" : Buffer.from(Process.encode(process).finish()).toString("latin1");
    const known = merged.get(key);
    if (known === undefined) {
      const tagged = process && { ...process, tags: [...process.tags, ...agentTags] };
      merged.set(key, { spans, process: tagged });
    } else {
      for (const span of spans) {
        known.spans.push(span);
      }
    }
  }
  return [...merged.values()];
}
