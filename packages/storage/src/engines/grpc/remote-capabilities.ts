import type { CapabilitiesResponse } from "wire/storage-v1";
import type { ReadOptions } from "../../api/span-reader.ts";
import { isNotImplemented } from "./grpc-errors.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import { remoteMethods } from "./remote-methods.ts";

const none: CapabilitiesResponse = {
  archiveSpanReader: false,
  archiveSpanWriter: false,
  streamingSpanWriter: false,
};

/**
 * The server's capabilities. They are read before the first use and again after each failure, because the address may
 * then belong to another server.
 */
export class RemoteCapabilities {
  readonly #calls: RemoteCalls;
  #known: CapabilitiesResponse | undefined;

  constructor(calls: RemoteCalls) {
    this.#calls = calls;
  }

  async known(options: ReadOptions): Promise<CapabilitiesResponse> {
    this.#known ??= await this.ask(options);
    return this.#known;
  }

  /** A server that does not know the call has no optional capabilities. */
  async ask(options: ReadOptions): Promise<CapabilitiesResponse> {
    try {
      return await this.#calls.unary(remoteMethods.capabilities, {}, options);
    } catch (error) {
      if (isNotImplemented(error)) {
        return none;
      }
      throw error;
    }
  }

  forget(): void {
    this.#known = undefined;
  }
}
