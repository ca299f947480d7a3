/** Number of closed streams that are remembered. */
const kept = 256;

/** The way in which a closed stream ended. */
export type StreamFate =
  | "closed" // ended in order, or reset by the client: a later frame on the stream is an error
  | "abandoned"; // ended early by this side: the client may not know yet, so its frames are dropped

/** The streams of a connection that ended last, so that a late frame can be distinguished from a wrong frame. */
export class RecentStreams {
  /** Stream IDs, negative for abandoned streams. */
  #ids: Int32Array | undefined;
  #next = 0;

  remember(streamId: number, fate: StreamFate): void {
    this.#ids ??= new Int32Array(kept);
    this.#ids[this.#next] = fate === "closed" ? streamId : -streamId;
    this.#next = (this.#next + 1) % kept;
  }

  /** @returns undefined for a stream that was never open, or that ended too long ago */
  fateOf(streamId: number): StreamFate | undefined {
    const ids = this.#ids;
    return ids?.includes(streamId) ? "closed" : ids?.includes(-streamId) ? "abandoned" : undefined;
  }
}
