import { once } from "node:events";
import { type CallOptions, type ClientWritableStream, Metadata, type MethodDefinition } from "@grpc/grpc-js";
import { tenantOf } from "../../api/checked-query.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { toStorageError } from "./grpc-errors.ts";
import type { RemoteChannel } from "./remote-channel.ts";

export interface RemoteCallSettings {
  /** Address of the remote storage. */
  readonly server: string;
  /** Milliseconds until a call without a connection fails with STORAGE_UNAVAILABLE. */
  readonly connectionTimeoutMs: number;
  /** Milliseconds until a call fails with STORAGE_TIMEOUT. */
  readonly requestTimeoutMs: number;
  /** Metadata key that carries the tenant. Undefined: calls carry no tenant. */
  readonly tenantHeader: string | undefined;
}

/** Remaining size limit of a read, which all its calls share. */
export interface ReadBudget {
  /** Number of bytes that the calls of the read may still receive. */
  bytes: number;
}

/** A read with a size limit for its answers. */
export interface LimitedRead {
  readonly options: ReadOptions;
  /** Number of bytes that all calls of this read may still receive. */
  readonly budget: ReadBudget;
}

interface Cancellable {
  /** Ends the call in the client and in the server. */
  cancel(): void;
}

/** Sends calls with a time limit, the tenant's name and the caller's token. Methods fail with `StorageError`. */
export class RemoteCalls {
  readonly #channel: RemoteChannel;
  readonly #settings: RemoteCallSettings;

  constructor(channel: RemoteChannel, settings: RemoteCallSettings) {
    this.#channel = channel;
    this.#settings = settings;
  }

  /** @param isWrite true: the call writes spans, so its error distinguishes faulty spans from other failures */
  async unary<Request, Response>(
    method: MethodDefinition<Request, Response>,
    request: Request,
    options: ReadOptions,
    isWrite = false,
  ): Promise<Response> {
    const metadata = this.#metadata(options);
    return await this.#watched(options.signal, isWrite, (watch) => {
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      watch(
        this.#channel.client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          metadata,
          this.#callOptions(),
          (error, response) => {
            if (error !== null) {
              reject(error);
            } else if (response !== undefined) {
              resolve(response);
            }
          },
        ),
      );
      return promise;
    });
  }

  /**
   * Passes each message of the answer to `take`.
   * @throws StorageError STORAGE_TOO_LARGE when the messages have more bytes than `budget` has left
   */
  async download<Request, Response>(
    method: MethodDefinition<Request, Response>,
    request: Request,
    { options, budget }: LimitedRead,
    take: (response: Response) => void,
  ): Promise<void> {
    const metadata = this.#metadata(options);
    const measured = (bytes: Buffer): { readonly response: Response; readonly size: number } => ({
      response: method.responseDeserialize(bytes),
      size: bytes.length,
    });
    await this.#watched(options.signal, false, async (watch) => {
      const call = this.#channel.client.makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        measured,
        request,
        metadata,
        this.#callOptions(),
      );
      watch(call);
      try {
        for await (const { response, size } of call as AsyncIterable<ReturnType<typeof measured>>) {
          budget.bytes -= size;
          if (budget.bytes < 0) {
            throw new StorageError("STORAGE_TOO_LARGE", "the answer is over the limit of bytes for one read");
          }
          take(response);
        }
      } finally {
        call.cancel();
      }
    });
  }

  /** Sends all messages, not faster than the server accepts them, and waits for the answer. */
  async upload<Request, Response>(
    method: MethodDefinition<Request, Response>,
    requests: Iterable<Request>,
    options: ReadOptions,
  ): Promise<void> {
    const metadata = this.#metadata(options);
    await this.#watched(options.signal, true, async (watch) => {
      const answer = Promise.withResolvers<void>();
      let isOver = false;
      const call = this.#channel.client.makeClientStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        metadata,
        this.#callOptions(),
        (error) => {
          isOver = true;
          if (error === null) {
            answer.resolve();
          } else {
            answer.reject(error);
          }
        },
      );
      // `answer` is rejected with the same error and more details.
      call.on("error", () => {});
      watch(call);
      await Promise.all([answer.promise, sendAll(call, requests, () => isOver, answer.promise)]);
    });
  }

  /** @param begin starts the call and passes it to `watch` */
  async #watched<Result>(
    signal: AbortSignal | undefined,
    isWrite: boolean,
    begin: (watch: (call: Cancellable) => void) => Promise<Result>,
  ): Promise<Result> {
    const { server, connectionTimeoutMs, requestTimeoutMs: timeoutMs } = this.#settings;
    const state = { aborted: signal?.aborted ?? false, unconnected: false };
    const failed = () => ({ ...state, server, timeoutMs, connectionTimeoutMs, isWrite });
    if (state.aborted) {
      throw toStorageError(signal?.reason, failed());
    }
    let under: Cancellable | undefined;
    const abort = () => {
      state.aborted = true;
      under?.cancel();
    };
    signal?.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => {
      if (this.#channel.isConnected) {
        return;
      }
      state.unconnected = true;
      under?.cancel();
    }, connectionTimeoutMs);
    try {
      return await begin((call) => {
        under = call;
      });
    } catch (error) {
      throw toStorageError(error, failed());
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  #callOptions(): CallOptions {
    return { deadline: Date.now() + this.#settings.requestTimeoutMs };
  }

  #metadata(options: ReadOptions): Metadata {
    const metadata = new Metadata();
    const tenant = tenantOf(options);
    const { tenantHeader } = this.#settings;
    if (tenant !== "") {
      if (tenantHeader === undefined) {
        throw new StorageError("STORAGE_BAD_QUERY", `tenant "${tenant}" is named, and tenancy is off`);
      }
      // gRPC metadata is ASCII, and a comma separates two values.
      if (!/^[\x21-\x2b\x2d-\x7e]([\x20-\x2b\x2d-\x7e]*[\x21-\x2b\x2d-\x7e])?$/.test(tenant)) {
        throw new StorageError(
          "STORAGE_BAD_QUERY",
          `the tenant's name "${tenant}" cannot be sent as metadata`,
        );
      }
      metadata.set(tenantHeader, tenant);
    }
    if (options.bearerToken !== undefined && /^[\x21-\x7e]+$/.test(options.bearerToken)) {
      metadata.set("bearer.token", options.bearerToken);
    }
    return metadata;
  }
}

async function sendAll<Request>(
  call: ClientWritableStream<Request>,
  requests: Iterable<Request>,
  isOver: () => boolean,
  over: Promise<void>,
): Promise<void> {
  for (const request of requests) {
    if (isOver()) {
      return;
    }
    if (!call.write(request)) {
      await Promise.race([once(call, "drain"), over]);
    }
  }
  call.end();
}
