import { networkInterfaces } from "node:os";
import { logVerbosity, type Server, type ServerCredentials, setLogVerbosity } from "@grpc/grpc-js";
import { type HostPort, listenError } from "lifecycle";

/** Starts to listen. @returns the port @throws StartError */
export function bindServer(
  server: Server,
  address: HostPort,
  credentials: ServerCredentials,
): Promise<number> {
  // It would print the failure as well, on a line that says less.
  setLogVerbosity(logVerbosity.NONE);
  return new Promise((resolve, reject) => {
    server.bindAsync(bindAddress(address), credentials, (error, port) => {
      if (error === null) resolve(port);
      else reject(listenError(withCode(error), "remote storage over gRPC", address.text, "grpc.host-port"));
    });
  });
}

/** grpc-js wants a host: every address of the machine is "[::]", and "0.0.0.0" where there is no IPv6. */
function bindAddress({ host, port }: HostPort): string {
  if (host !== "") return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ family }) => family === "IPv6"),
  );
  return hasIpv6 ? `[::]:${port}` : `0.0.0.0:${port}`;
}

/** grpc-js has the system's code in the text of its error only. */
function withCode(error: Error): Error {
  const code = /\bE[A-Z]{3,}\b/.exec(error.message)?.[0];
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code });
}
