/** The share of a stream in the connection. Source: RFC 9218, section 4 */
export interface StreamPriority {
  /** 0 to 7; streams with a smaller number are sent first. */
  readonly urgency: number;
  /** Incremental streams take turns: each byte is of use before the last one came. The others are sent one after the other. */
  readonly isIncremental: boolean;
}

/**
 * Default for a stream whose peer set no priority. It takes turns, so that a long response does not delay short ones.
 */
export const defaultPriority: StreamPriority = { urgency: 3, isIncremental: true };

interface Prioritized {
  readonly id: number;
  readonly priority: StreamPriority;
}

/**
 * Streams in the order of sending: by urgency, and in their order before where urgencies are the same. Streams that
 * are sent one after the other share one turn: the smallest id has it, and the rest come behind.
 */
export function inSendingOrder<Stream extends Prioritized>(streams: Iterable<Stream>): Stream[] {
  const ordered = [...streams];
  /** The smallest ID of the streams that are sent one after the other, by urgency. */
  const first = new Map<number, number>();
  for (const { id, priority } of ordered) {
    if (!priority.isIncremental) {
      first.set(priority.urgency, Math.min(first.get(priority.urgency) ?? id, id));
    }
  }
  const rank = ({ id, priority: { urgency, isIncremental } }: Stream) =>
    2 * urgency + (isIncremental || first.get(urgency) === id ? 0 : 1);
  return ordered.sort((one, other) => {
    const difference = rank(one) - rank(other);
    return difference === 0 && rank(one) % 2 === 1 ? one.id - other.id : difference;
  });
}
