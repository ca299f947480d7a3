/**
 * Collects what starting has left, once: V8 on its own waits until as much again has piled up, and takes what lives after
 * its first collection as the measure for the next. Does nothing without `--expose-gc`, with which the built agent runs.
 */
export function collectStartGarbage(): void {
  void globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
