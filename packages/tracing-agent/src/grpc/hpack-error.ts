/** A header block that breaks HPACK: the connection it came on cannot go on, its state is lost. */
export class HpackError extends Error {
  override readonly name = "HpackError";
}
