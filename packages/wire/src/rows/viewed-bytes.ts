/** Bytes that are copied from. Cursors are such bytes themselves, so that no span and no attribute makes an object. */
export interface ViewedBytes {
  readonly bytes: Buffer;
  /** The same memory as `bytes`. */
  readonly view: DataView;
}
