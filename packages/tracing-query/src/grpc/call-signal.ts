import type { EventEmitter } from "node:events";

/** A signal that is aborted when the client cancels, disconnects, or its deadline passes. */
export function callSignal(call: EventEmitter): AbortSignal {
  const controller = new AbortController();
  call.once("cancelled", () => controller.abort());
  return controller.signal;
}
