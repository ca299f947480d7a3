import type { AddressInfo } from "node:net";
import { listenError } from "lifecycle";
import type { GrpcSettings } from "./grpc-listener.ts";
import type { Receiver, ReceiverAddress } from "./receiver.ts";
import { socketServerFor } from "./socket-server.ts";
import { MessageBuffers } from "./unary-grpc/message-buffers.ts";
import { UnaryGrpcServer } from "./unary-grpc/unary-grpc-server.ts";
import type { UnaryMethod } from "./unary-grpc/unary-method.ts";
import type { UnfinishedBytes } from "./unfinished-bytes.ts";

/**
 * Serves unary gRPC methods, with TLS if it is configured.
 * @param methods by path
 * @param unfinished limit for all incomplete messages together
 * @throws StartError when the address cannot be used
 */
export async function listenUnaryGrpc(
  { address, what, flag, tls }: ReceiverAddress,
  settings: GrpcSettings,
  methods: ReadonlyMap<string, UnaryMethod>,
  unfinished: UnfinishedBytes,
): Promise<Receiver> {
  const listener = socketServerFor(tls, "h2");
  const server = new UnaryGrpcServer(
    { methods, buffers: new MessageBuffers(unfinished), ...settings },
    listener,
  );
  const { host, port } = address;
  await new Promise<void>((resolve, reject) => {
    listener.once("error", (error) => {
      tls?.close();
      reject(listenError(error, what, address.text, flag));
    });
    listener.listen({ port, ...(host === "" ? {} : { host }) }, resolve);
  });
  return {
    what,
    port: (listener.address() as AddressInfo).port,
    stop: (signal) => server.stop(signal),
  };
}
