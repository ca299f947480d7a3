/** Priority of a stream within its connection. Source: RFC 9218, section 4 */
export interface StreamPriority {
  /** Urgency from 0 to 7. Streams with a smaller number are sent first. */
  readonly urgency: number;
  /** True for streams that take turns, because a part of them is useful early. Other streams are sent one by one. */
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
 * Streams in the order of sending: by urgency, then in their previous order. Streams that are not incremental
 * share one turn: the stream with the smallest ID has it, and the others follow all streams of this urgency.
 */
export function inSendingOrder<Stream extends Prioritized>(streams: Iterable<Stream>): Stream[] {
  const ordered = [...streams];
  /** The smallest ID of the streams that are not incremental, by urgency. */
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
