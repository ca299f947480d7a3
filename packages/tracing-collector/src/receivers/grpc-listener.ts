import {
  Server,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  setLogger,
} from "@grpc/grpc-js";
import { guardFloods } from "http-protocols/grpc-js";
import { type Logger, listenError, secureContextOptions } from "lifecycle";
import { endHandshakesOnClose } from "lifecycle/open-handshakes";
import { acceptMoreEncodings, bindServer, serverCredentialsOf } from "wire/grpc";
import type { Receiver, ReceiverAddress } from "./receiver.ts";
import { type UnfinishedLimits, UnfinishedMessages } from "./unfinished-messages.ts";

/** Sizes and times that one gRPC server allows. */
export interface GrpcSettings {
  /** Size limit of a message in bytes, before and after decompression. */
  readonly maxMessageBytes: number;
  /**
   * Time in milliseconds after which a client must open a new connection, so that clients are distributed over
   * collectors again; 0: never.
   */
  readonly maxConnectionAgeMs: number;
  /** Time for running calls after that, in milliseconds; 0: unlimited. */
  readonly maxConnectionAgeGraceMs: number;
}

/** Maximum number of calls that may run on one connection at once; clients queue further calls. */
const maxConcurrentStreams = 64;
/** Time in milliseconds without data after which a call is cancelled. */
export const grpcStallMs = 60_000;

/** Pattern for grpc-js's error about a message that it does not pass on: too large, or invalid compression. */
const unreadMessage = /^(?:Received message|Failed to decompress)/;

/**
 * A gRPC server with the limits of `settings`.
 * @param limits limit for all incomplete messages together
 * @param unread called for each message that was refused before a handler got it
 */
export function createGrpcServer(
  settings: GrpcSettings,
  limits: UnfinishedLimits,
  log: Logger,
  unread: () => void,
): Server {
  // Without this, grpc-js writes lines to standard error, in addition to the error that it throws.
  setLogger({ error: (...parts: unknown[]) => log.debug({ grpc: parts.join(" ") }, "grpc-js says") });
  const { maxMessageBytes, maxConnectionAgeMs, maxConnectionAgeGraceMs } = settings;
  const unfinished = new UnfinishedMessages(limits);
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_concurrent_streams": maxConcurrentStreams,
    ...(maxConnectionAgeMs > 0 ? { "grpc.max_connection_age_ms": maxConnectionAgeMs } : {}),
    ...(maxConnectionAgeGraceMs > 0 ? { "grpc.max_connection_age_grace_ms": maxConnectionAgeGraceMs } : {}),
    interceptors: [
      (method, call) => {
        watchStatus(call, unread);
        acceptMoreEncodings(call);
        unfinished.watch(call, method.requestStream);
        return new ServerInterceptingCall(call);
      },
    ],
  });
  guardFloods(server, endHandshakesOnClose);
  return server;
}

/**
 * Reports messages that grpc-js itself refuses. grpc-js does this below all interceptors, so only the call's own method
 * gets the status.
 */
function watchStatus(call: ServerInterceptingCallInterface, unread: () => void): void {
  const sendStatus = call.sendStatus.bind(call);
  call.sendStatus = (status) => {
    if (unreadMessage.test(status.details ?? "")) {
      unread();
    }
    sendStatus(status);
  };
}

/**
 * Listens on an address, with TLS if it is configured. Services must be added before.
 * @param beforeStop called when the server begins to stop
 * @throws StartError when the address cannot be used
 */
export async function listenGrpc(
  server: Server,
  { address, what, flag, tls }: ReceiverAddress,
  beforeStop: () => void = () => {},
): Promise<Receiver> {
  const credentials = serverCredentialsOf(tls, secureContextOptions);
  const port = await bindServer(server, address, credentials).catch((error: Error) => {
    tls?.close();
    throw listenError(error, what, address.text, flag);
  });
  return {
    what,
    port,
    async stop(signal) {
      beforeStop();
      const cut = () => server.forceShutdown();
      signal.addEventListener("abort", cut, { once: true });
      if (signal.aborted) {
        cut();
      }
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    },
  };
}
