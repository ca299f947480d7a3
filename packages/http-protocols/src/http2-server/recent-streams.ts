/** Number of closed streams that are remembered. */
const kept = 256;

/** Facts about a closed stream. */
export type StreamFate =
  | "closed" // in order, or by the client: a frame on it is an error
  | "abandoned"; // closed early by this side: the client may not know yet, and its frames are dropped

/** The streams of a connection that ended last, to tell a late frame from a wrong one. */
export class RecentStreams {
  /** Numbers of streams, negative for those that were abandoned. */
  #ids: Int32Array | undefined;
  #next = 0;

  remember(streamId: number, fate: StreamFate): void {
    this.#ids ??= new Int32Array(kept);
    this.#ids[this.#next] = fate === "closed" ? streamId : -streamId;
    this.#next = (this.#next + 1) % kept;
  }

  /** @returns undefined for one that was never open, or long ago */
  fateOf(streamId: number): StreamFate | undefined {
    const ids = this.#ids;
    return ids?.includes(streamId) ? "closed" : ids?.includes(-streamId) ? "abandoned" : undefined;
  }
}
